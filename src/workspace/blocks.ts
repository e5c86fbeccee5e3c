import type { Fields } from "./fields.ts";
export type Surface = "message" | "modal" | "home";
export interface Problem { code: string; message: string; pointer: string }
export function checkBlocks(blocks: unknown[], surface: Surface): Problem[] {
  return blocks.length > (surface === "message" ? 50 : 100) ? [{ code: "x", message: "no more than 50 items allowed", pointer: "/blocks" }] : [];
}
export function checkView(_view: Fields): Problem[] {
  return [];
}
