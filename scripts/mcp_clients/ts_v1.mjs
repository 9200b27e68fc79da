// The client of the TypeScript SDK, version 1.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answerLines, stdioOf, target } from "./lines.mjs";

const client = new Client({ name: "interop", version: "1" });
let agreed; // over HTTP the transport knows it; over stdio it is only told
const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : Object.assign(new StdioClientTransport(stdioOf(target.command)), { setProtocolVersion: (said) => (agreed = said) });
await answerLines(client, transport, () => transport.protocolVersion ?? agreed);
