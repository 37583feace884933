/** Public documents may be read by pages of any origin: did:web, section 2.5.2, asks for it. */
export const FOR_EVERYONE = { 'Access-Control-Allow-Origin': '*' };
