// Loaded into the conformance suite before it starts: it knows no tokens, so every request of it gets ours here.
import http from "node:http";
import { createRequire } from "node:module";

const bearer = `Bearer ${process.env.CONFORMANCE_TOKEN}`;

const plainFetch = globalThis.fetch;
globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  if (!headers.has("authorization")) headers.set("authorization", bearer);
  return plainFetch(input, { ...init, headers });
};

// Some scenarios set headers that fetch does not let them: they use clients of their own.
const plainHead = http.ClientRequest.prototype._implicitHeader;
http.ClientRequest.prototype._implicitHeader = function () {
  if (!this.hasHeader("authorization")) this.setHeader("authorization", bearer);
  return plainHead.call(this);
};

try {
  const undici = createRequire(`${process.cwd()}/`)("undici");
  const plainRequest = undici.request;
  undici.request = (url, options = {}) =>
    plainRequest(url, { ...options, headers: { authorization: bearer, ...options.headers } });
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
}
