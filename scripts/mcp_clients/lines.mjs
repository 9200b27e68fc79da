// A connected client of either SDK asked by lines: one JSON request on stdin, one JSON answer on stdout.
import { createInterface } from "node:readline";

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const words = (error) => `${error?.name ?? "Error"}: ${error?.message ?? error}`.slice(0, 2000);

// What to connect to: {url}, or {command, environ} of a server on stdio.
export const target = JSON.parse(process.argv[2]);

export function stdioOf([command, ...args]) {
  return { command, args, env: target.environ, stderr: "inherit" };
}

export async function answerLines(client, transport, protocol) {
  await client.connect(transport);
  say({ protocol: protocol() ?? null });
  for await (const line of createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line);
    try {
      if (asked.do === "list") say({ tools: (await client.listTools()).tools });
      else say({ result: await client.callTool({ name: asked.name, arguments: asked.arguments }) });
    } catch (error) {
      say({ error: words(error) });
    }
  }
  await client.close();
}
