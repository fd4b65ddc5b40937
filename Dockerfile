# syntax=docker/dockerfile:1
FROM node:20.20-bookworm-slim AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY connectors connectors
RUN npm run build

FROM base AS modules
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM base
# /metrics and /healthz are at a port of their own, which workers have too.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8420 METRICS_PORT=9464
COPY package.json LICENSE llms.txt *.md ./
COPY docs docs
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
# What it writes itself without a REDIS_URL goes here.
RUN mkdir .boardwalk && chown node:node .boardwalk
USER node
EXPOSE 8420 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.METRICS_PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli.js"]
CMD ["serve"]
