import { type Expression, type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isNewExpression,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertySignatureDeclaration,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isTypeLiteralNode,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Symbol as TypeSymbol, type Type } from "typescript/unstable/sync";

import type { SourceFile } from "./sources.ts";

const root = new URL("../..", import.meta.url).pathname;
const configPath = `${root}tsconfig.unread.json`;

/** Objects that are handed to a function so that it can work. */
const isHanded = /(?:Options|Dependencies|Context)$/;

/** A property of such an object, and what has been found of it. */
interface Property {
  place: string;
  /** The interface, or the file if its type has no name. */
  owner: string;
  isRead: boolean;
  /** Properties of other types that its value is passed on as, with the whole object. */
  passedAs: Property[];
}

/**
 * Finds properties of the objects that are handed to functions (interfaces named …Options, …Dependencies or …Context, and
 * types written beside a parameter) that no code reads, neither by itself nor through another type that the whole object is
 * passed on as. The sources count as they are given, also where the disk has others.
 */
export function findUnread(sources: SourceFile[]): string[] {
  const config = { extends: "./tsconfig.json", files: sources.map(({ path }) => path), include: [] };
  const texts = new Map([
    [configPath, JSON.stringify(config)],
    ...sources.map(({ path, text }) => [`${root}${path}`, text] as const),
  ]);
  const api = new API({
    fs: {
      readFile: (name) => texts.get(name),
      fileExists: (name) => texts.has(name) || undefined,
    },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [configPath] }).getProjects();
    if (!project) throw new Error("TypeScript opened no project");
    const files = sources.map(({ path }) => {
      const file = project.program.getSourceFile(`${root}${path}`);
      if (!file) throw new Error(`TypeScript did not open ${path}`);
      return { path, file };
    });
    const nodes = files.flatMap(({ path, file }) => nodesOf(file).map((node) => ({ path, text: file.text, node })));
    return unreadAmong(nodes, project.checker);
  } finally {
    api.close();
  }
}

interface PlacedNode {
  path: string;
  text: string;
  node: Node;
}

function unreadAmong(placed: PlacedNode[], checker: Checker): string[] {
  const nodes = placed.map(({ node }) => node);
  const properties = new Map<string, Property>();
  const declared = placed.filter(({ node }) => isHandedProperty(node));
  const names = new Set<string>();
  for (const [index, symbol] of symbolsAt(
    checker,
    declared.map(({ node }) => nameOf(node)),
  ).entries()) {
    const { path, text, node } = declared[index] ?? { path: "", text: "", node: undefined };
    if (!node) continue;
    const name = nameOf(node);
    const place = `${path}:${text.slice(0, name.end).split("\n").length} ${textOf(name)} is passed and never read`;
    const owner = isInterfaceDeclaration(node.parent) ? node.parent.name.text : path;
    for (const key of keysOf(symbol)) properties.set(key, { place, owner, isRead: false, passedAs: [] });
    names.add(textOf(name));
  }
  const propertiesAt = (symbol: TypeSymbol | undefined) => keysOf(symbol).flatMap((key) => properties.get(key) ?? []);
  const membersOf = createMembers(checker);

  const accessed = nodes.filter(isPropertyAccessExpression).map(({ name }) => name);
  for (const symbol of symbolsAt(
    checker,
    accessed.filter((name) => names.has(textOf(name))),
  )) {
    for (const property of propertiesAt(symbol)) property.isRead = true;
  }

  const taken = nodes.filter(isObjectBindingPattern).flatMap((pattern) =>
    pattern.elements.flatMap((element) => {
      const name = textOf(element.propertyName ?? element.name);
      return !element.dotDotDotToken && names.has(name) ? [{ pattern, name }] : [];
    }),
  );
  for (const [index, type] of typesAt(
    checker,
    taken.map(({ pattern }) => pattern),
  ).entries()) {
    const member = type && membersOf(type).get(taken[index]?.name ?? "");
    for (const property of propertiesAt(member)) property.isRead = true;
  }

  // Files that don't name the type of an object don't get it to pass it on.
  const owners = new Set([...properties.values()].filter(({ isRead }) => !isRead).map(({ owner }) => owner));
  for (const { name, heritageClauses = [] } of nodes.filter(isInterfaceDeclaration)) {
    if (heritageClauses.flatMap(nodesOf).some((node) => owners.has(textOf(node)))) owners.add(name.text);
  }
  const naming = new Set(
    placed.filter(({ path, node }) => owners.has(path) || owners.has(textOf(node))).map(({ path }) => path),
  );
  const whole = placed
    .filter(({ path }) => naming.has(path))
    .flatMap(({ node }) => passedBy(node))
    .filter(isWhole);
  for (const [index, type] of typesAt(checker, whole).entries()) {
    const members = type ? [...membersOf(type).values()] : [];
    const own = members.flatMap((member) => propertiesAt(member).map((property) => ({ name: member.name, property })));
    const node = whole[index];
    if (!node || own.every(({ property }) => property.isRead)) continue;
    const expected = checker.getContextualType(expressionOf(node));
    // Of a parameter that may be left out, the rest.
    const context = expected && checker.getNonNullableType(expected);
    for (const { name, property } of own) {
      const target = context && membersOf(context).get(name);
      if (!target) continue;
      // A type that is none of these may be read by anybody.
      if (propertiesAt(target).length === 0) property.isRead = true;
      else property.passedAs.push(...propertiesAt(target));
    }
  }
  return [...properties.values()].filter((property) => !isReadAnywhere(property)).map(({ place }) => place);
}

function isReadAnywhere(property: Property, seen = new Set<Property>()): boolean {
  if (seen.has(property)) return false;
  seen.add(property);
  return property.isRead || property.passedAs.some((each) => isReadAnywhere(each, seen));
}

function nodesOf(node: Node): Node[] {
  const found = [node];
  // The array grows while it is gone through.
  for (const each of found) each.forEachChild((child) => void found.push(child));
  return found;
}

/** Tests that a node declares a property of an object that is handed to a function. */
function isHandedProperty(node: Node): boolean {
  if (!isPropertySignatureDeclaration(node)) return false;
  const { parent } = node;
  if (isInterfaceDeclaration(parent)) return isHanded.test(parent.name.text);
  if (!isTypeLiteralNode(parent) || !isParameterDeclaration(parent.parent)) return false;
  const { parent: taker } = parent.parent;
  return isFunctionDeclaration(taker) || isArrowFunction(taker);
}

function nameOf(node: Node): Node {
  return isPropertySignatureDeclaration(node) ? node.name : node;
}

const textOf = (node: Node | undefined): string => (node && isIdentifier(node) ? node.text : "");

/** The objects that a node hands on as a whole. */
function passedBy(node: Node): (Node | undefined)[] {
  if (isCallExpression(node) || isNewExpression(node)) return [...(node.arguments ?? [])];
  if (isReturnStatement(node) || isSpreadAssignment(node)) return [node.expression];
  if (isPropertyAssignment(node) || isVariableDeclaration(node)) return [node.initializer];
  if (isShorthandPropertyAssignment(node)) return [node.name];
  return isArrowFunction(node) ? [node.body] : [];
}

/** The expression itself, or for a spread object the object that it is spread in. */
function expressionOf(node: Expression): Expression {
  const { parent } = node;
  return isSpreadAssignment(parent) && isObjectLiteralExpression(parent.parent) ? parent.parent : node;
}

/** Tests that something is an object whose type comes from elsewhere, and no literal. */
function isWhole(node: Node | undefined): node is Expression {
  if (node === undefined) return false;
  return isIdentifier(node) || isPropertyAccessExpression(node) || node.kind === SyntaxKind.ThisKeyword;
}

/** The declarations that a symbol stands for: those of a picked, joined or spread type are those of the first one. */
function keysOf(symbol: TypeSymbol | undefined): string[] {
  return symbol?.declarations.map(({ path, index }) => `${path} ${index}`) ?? [];
}

const symbolsAt = (checker: Checker, nodes: Node[]) => (nodes.length > 0 ? checker.getSymbolAtLocation(nodes) : []);
const typesAt = (checker: Checker, nodes: Node[]) => (nodes.length > 0 ? checker.getTypeAtLocation(nodes) : []);

/** Reads the properties of each type once. */
function createMembers(checker: Checker): (type: Type) => Map<string, TypeSymbol> {
  const known = new Map<number, Map<string, TypeSymbol>>();
  return (type) => {
    const members =
      known.get(type.id) ?? new Map(checker.getPropertiesOfType(type).map((member) => [member.name, member]));
    known.set(type.id, members);
    return members;
  };
}
