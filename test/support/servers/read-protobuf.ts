/**
 * The fields of a protobuf message by their numbers, in their order. Fields of a fixed size and
 * varints are `bigint`; fields with a length are bytes
 * (https://protobuf.dev/programming-guides/encoding/).
 */
export function readMessage(bytes: Buffer): ReadonlyMap<number, readonly FieldValue[]> {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new Error('a field is cut off');
    return bytes.subarray(at - length, at);
  };
  const value = (wireType: number): FieldValue => {
    switch (wireType) {
      case 0:
        return varint();
      case 1:
        return take(8).readBigUInt64LE();
      case 2:
        return take(Number(varint()));
      case 5:
        return BigInt(take(4).readUInt32LE());
      default:
        throw new Error(`wire type ${wireType} is none`);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const known = fields.get(tag >> 3) ?? [];
    fields.set(tag >> 3, [...known, value(tag & 7)]);
  }
  return fields;
}

export type FieldValue = bigint | Buffer;
