import { isIP } from 'node:net';

/**
 * What an IP address is good for.
 *
 * - `public`: anyone's, reachable over the Internet.
 * - `private`: this machine or a network around it; reached only where that is allowed.
 * - `forbidden`: nobody's agent or tool lives there: metadata services of clouds (they hand out
 *   credentials), multicast, unspecified and reserved addresses, tunnels.
 */
export type AddressJudgement = 'public' | 'private' | 'forbidden';

/** `address` as the URL parser or a resolver writes it, with or without a zone. */
export function judgeAddress(address: string): AddressJudgement {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 4) return judge(parseIpv4(bare), IPV4_RULES);
  if (version === 6) return judge(parseIpv6(bare), IPV6_RULES);
  return 'forbidden';
}

/** Equal for two spellings of one address; an IPv4 address is the same when mapped into IPv6. */
export function addressKey(address: string): bigint {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 4) return (0xffffn << 32n) | parseIpv4(bare);
  return version === 6 ? parseIpv6(bare) : -1n;
}

/** The first rule that holds an address decides. Registries: RFC 6890 and IANA's updates of it. */
const IPV4_RULES = [
  // Metadata services of AWS (instances, containers, pods), Alibaba, Oracle and Azure.
  rule4('169.254.169.254/32', 'forbidden'),
  rule4('169.254.170.0/24', 'forbidden'),
  rule4('100.100.100.200/32', 'forbidden'),
  rule4('168.63.129.16/32', 'forbidden'),
  // "This network": on most systems it connects to the machine itself.
  rule4('0.0.0.0/8', 'forbidden'),
  rule4('10.0.0.0/8', 'private'),
  rule4('100.64.0.0/10', 'private'),
  rule4('127.0.0.0/8', 'private'),
  rule4('169.254.0.0/16', 'private'),
  rule4('172.16.0.0/12', 'private'),
  // Protocol assignments, Oracle's metadata service among them.
  rule4('192.0.0.0/24', 'forbidden'),
  rule4('192.0.2.0/24', 'forbidden'),
  rule4('192.88.99.0/24', 'forbidden'),
  rule4('192.168.0.0/16', 'private'),
  rule4('198.18.0.0/15', 'private'),
  rule4('198.51.100.0/24', 'forbidden'),
  rule4('203.0.113.0/24', 'forbidden'),
  // Multicast, reserved and broadcast.
  rule4('224.0.0.0/3', 'forbidden'),
  rule4('0.0.0.0/0', 'public'),
];

/** An address that carries an IPv4 address is judged by that one. */
const IPV6_RULES = [
  rule6('::ffff:0:0/96', 'embedded'),
  rule6('64:ff9b::/96', 'embedded'),
  // NAT64 for local use, RFC 8215: its inner side may be anything.
  rule6('64:ff9b:1::/48', 'private'),
  rule6('::1/128', 'private'),
  // Metadata services of AWS and Google.
  rule6('fd00:ec2::/32', 'forbidden'),
  rule6('fd20:ce::/32', 'forbidden'),
  rule6('fc00::/7', 'private'),
  rule6('fe80::/10', 'private'),
  rule6('fec0::/10', 'private'),
  // Protocol assignments: Teredo, benchmarking, ORCHID. Then documentation and 6to4.
  rule6('2001::/23', 'forbidden'),
  rule6('2001:db8::/32', 'forbidden'),
  rule6('2002::/16', 'forbidden'),
  rule6('3fff::/20', 'forbidden'),
  rule6('2000::/3', 'public'),
  rule6('::/0', 'forbidden'),
];

interface Rule {
  readonly prefix: bigint;
  /** Bits after the prefix. */
  readonly rest: bigint;
  readonly judgement: AddressJudgement | 'embedded';
}

function judge(address: bigint, rules: readonly Rule[]): AddressJudgement {
  const found = rules.find(({ prefix, rest }) => address >> rest === prefix);
  if (found === undefined) return 'forbidden';
  if (found.judgement !== 'embedded') return found.judgement;
  return judge(address & 0xffff_ffffn, IPV4_RULES);
}

function rule4(cidr: string, judgement: Rule['judgement']): Rule {
  const [address = '', length = '32'] = cidr.split('/');
  const rest = 32n - BigInt(length);
  return { prefix: parseIpv4(address) >> rest, rest, judgement };
}

function rule6(cidr: string, judgement: Rule['judgement']): Rule {
  const [address = '', length = '128'] = cidr.split('/');
  const rest = 128n - BigInt(length);
  return { prefix: parseIpv6(address) >> rest, rest, judgement };
}

function parseIpv4(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

/** The URL parser turns every spelling into hexadecimal groups; `::` is left to fill up. */
function parseIpv6(text: string): bigint {
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = [], tail] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const ending = tail ?? [];
  const zeros = Array.from({ length: 8 - head.length - ending.length }, () => '0');
  return [...head, ...zeros, ...ending].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  );
}
