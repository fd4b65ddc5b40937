import type { Express } from "express";
import type { Access } from "./auth.js";
import { fieldsOf, NOT_FOUND, parameter, refuse } from "./http.js";
import { newId } from "./ids.js";
import { renderBoard, renderMember } from "./render.js";
import type { World } from "./world.js";

/** The account and the token it gave us. */

export function addTokenRoutes(app: Express, world: World, access: Access): void {
  const id = newId(world.now());
  const dateCreated = world.now().toISOString();

  app.get("/1/members/:id", (request, response) => {
    const { id: wanted } = request.params;
    const member =
      wanted === "me"
        ? world.me
        : world.members.find((each) => each.id === wanted || each.username === wanted);
    if (member === undefined) return refuse(response, 404, NOT_FOUND);
    response.json(renderMember(member));
  });
  app.get("/1/members/:id/boards", (request, response) => {
    if (request.params.id !== "me") return refuse(response, 404, NOT_FOUND);
    const own = world.boards.filter(({ memberships }) => memberships.has(world.me.id));
    const open = parameter(request, "filter") === "open" ? own.filter(({ closed }) => !closed) : own;
    response.json(open.map((board) => renderBoard(board, fieldsOf(request))));
  });
  app.get("/1/tokens/:token", (request, response) => {
    if (request.params.token !== access.token) return refuse(response, 401, "unauthorized token");
    const write = access.grant.write !== false;
    response.json({
      id,
      identifier: "Boardwalk",
      idMember: world.me.id,
      dateCreated,
      dateExpires: access.grant.expires?.toISOString() ?? null,
      permissions: [
        { idModel: world.me.id, modelType: "member", read: true, write },
        { idModel: "*", modelType: "board", read: true, write },
        { idModel: "*", modelType: "organization", read: true, write },
      ],
    });
  });
}
