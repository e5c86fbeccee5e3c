import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";

/** Answers 200 while `isWell`, else 503; for a container's health check. */
export function answerHealth(isWell: () => boolean) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const status = isWell() ? 200 : 503;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: status === 200 ? "ok" : "disconnected" }));
  };
}

/** Serves `/health` alone, for a bot that needs no other door. */
export async function serveHealth(port: number, isWell: () => boolean): Promise<Server> {
  const answer = answerHealth(isWell);
  const server = createServer((request, response) => {
    if (request.url === "/health") answer(request, response);
    else response.writeHead(404).end();
  });
  server.listen(port);
  await once(server, "listening");
  return server;
}
