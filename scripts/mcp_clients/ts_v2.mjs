// The client of the TypeScript SDK, version 2, with the newest revision that both sides know.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answerLines, stdioOf, target } from "./lines.mjs";

const client = new Client({ name: "interop", version: "1" }, { versionNegotiation: { mode: "auto" } });
const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : new StdioClientTransport(stdioOf(target.command));
await answerLines(client, transport, () => client.getNegotiatedProtocolVersion());
