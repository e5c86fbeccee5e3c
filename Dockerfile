FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The optional dependencies are Node itself, which the image has.
# State is kept by Node's own SQLite, so the other one, half of all that is installed, stays out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && rm -r node_modules/better-sqlite3

FROM node:24-slim
ENV NODE_ENV=production PORT=3000 STORE_URL=sqlite:/data/bellwether.sqlite
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY src src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "--max-old-space-size=256", "src/main.ts"]
