import { BlockList, isIP, SocketAddress } from 'node:net';

/**
 * Whether an outgoing request may go to an IP address.
 *
 * - `public`: reachable over the Internet.
 * - `private`: this machine or a network around it; reached only where the operator allows it.
 * - `forbidden`: no agent or tool has such an address: metadata services of clouds (they hand out
 *   credentials), multicast, unspecified and reserved addresses, tunnels.
 */
export type AddressJudgement = 'public' | 'private' | 'forbidden';

/** `address` as the URL parser or a resolver writes it, with or without a zone. */
export function judgeAddress(address: string): AddressJudgement {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 0) return 'forbidden';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const found = RULES.find(({ networks }) => networks.check(bare, family));
  return found === undefined ? 'forbidden' : found.judgement;
}

/** Equal for two spellings of one address; an IPv4 address equals its form mapped into IPv6. */
export function addressKey(address: string): string | null {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 0) return null;
  const mapped = version === 4 ? `::ffff:${bare}` : bare;
  return new SocketAddress({ address: mapped, family: 'ipv6' }).address;
}

interface Rule {
  readonly judgement: AddressJudgement;
  readonly networks: BlockList;
}

/** The first rule that holds an address decides. Registries: RFC 6890 and IANA's updates of it. */
const RULES: readonly Rule[] = [
  {
    judgement: 'forbidden',
    networks: listNetworks({
      // Metadata services of AWS (instances, containers, pods), Alibaba, Oracle and Azure.
      ipv4: ['169.254.169.254/32', '169.254.170.0/24', '100.100.100.200/32', '168.63.129.16/32'],
      // Metadata services of AWS and Google.
      ipv6: ['fd00:ec2::/32', 'fd20:ce::/32'],
    }),
  },
  {
    judgement: 'private',
    networks: listNetworks({
      ipv4: [
        '10.0.0.0/8',
        '100.64.0.0/10',
        '127.0.0.0/8',
        '169.254.0.0/16',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '198.18.0.0/15',
      ],
      // The first is NAT64 for local use, RFC 8215: its inner side may be anything.
      ipv6: ['64:ff9b:1::/48', '::1/128', 'fc00::/7', 'fe80::/10', 'fec0::/10'],
    }),
  },
  {
    judgement: 'forbidden',
    networks: listNetworks({
      ipv4: [
        // "This network": on most systems it connects to the machine itself.
        '0.0.0.0/8',
        // Protocol assignments, Oracle's metadata service among them.
        '192.0.0.0/24',
        '192.0.2.0/24',
        '192.88.99.0/24',
        '198.51.100.0/24',
        '203.0.113.0/24',
        // Multicast, reserved and broadcast.
        '224.0.0.0/3',
      ],
      // Protocol assignments: Teredo, benchmarking, ORCHID. Then documentation and 6to4.
      ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
    }),
  },
  { judgement: 'public', networks: listNetworks({ ipv4: ['0.0.0.0/0'], ipv6: ['2000::/3'] }) },
];

/** An IPv6 address that carries an IPv4 address, mapped or by NAT64, belongs to its networks. */
function listNetworks(ranges: {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}): BlockList {
  const networks = new BlockList();
  for (const range of ranges.ipv4) {
    const { address, bits } = splitRange(range);
    networks.addSubnet(address, bits, 'ipv4');
    networks.addSubnet(`::ffff:${address}`, 96 + bits, 'ipv6');
    networks.addSubnet(`64:ff9b::${address}`, 96 + bits, 'ipv6');
  }
  for (const range of ranges.ipv6) {
    const { address, bits } = splitRange(range);
    networks.addSubnet(address, bits, 'ipv6');
  }
  return networks;
}

function splitRange(range: string): { readonly address: string; readonly bits: number } {
  const [address = '', bits = ''] = range.split('/');
  return { address, bits: Number(bits) };
}
