"use strict";

// Loaded before everything else, and in words that an older Node reads: it could only fail over what follows.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  console.error(
    `Bellwether needs Node 22.20 or newer, and this is ${process.versions.node}: run npm install, which brings its own on Linux, then npm start; elsewhere install a newer one.`,
  );
  process.exit(1);
}
