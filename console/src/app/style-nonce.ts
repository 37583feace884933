/**
 * The page's policy admits a style element only with the nonce of the page. Libraries that add one,
 * such as the scroll lock of dialogs, look for the nonce under this name.
 */
const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
Object.assign(globalThis, { __webpack_nonce__: meta?.nonce });
