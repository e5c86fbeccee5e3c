# The same Node that package.json brings on Linux.
FROM node:24.21.0-bookworm-slim AS base

FROM base AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The optional dependencies are Node itself, which the image has.
# State is kept by Node's own SQLite, so the other one, a third of all that is installed, stays out. Nothing that runs
# reads types or source maps, another third.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && rm -r node_modules/better-sqlite3 \
  && find node_modules -type f \( -name '*.d.*ts' -o -name '*.map' \) -delete

FROM base
ENV NODE_ENV=production PORT=3000 STORE_URL=sqlite:/data/bellwether.sqlite
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY src src
# The only folder that the bot writes to.
RUN mkdir --mode=700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "--max-old-space-size=256", "src/main.ts"]
