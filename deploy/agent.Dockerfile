# An example: Ratchet with an agent, and Python beside Node for the tests of the repositories. Build Ratchet's own image first:
#   docker build -t ratchet .
#   docker build -t ratchet-with-agent -f deploy/agent.Dockerfile deploy
# A sandbox shows /usr of the image, read-only: what is installed there can be used by agents and by `validate` commands.
ARG RATCHET_IMAGE=ratchet:latest
FROM ${RATCHET_IMAGE}
USER root
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 python3-pip python3-venv \
  && rm -rf /var/lib/apt/lists/*
# The version that Ratchet is tested with.
RUN npm install --global --ignore-scripts --no-audit --no-fund @openai/codex@0.171.0 \
  && npm cache clean --force
ENV RATCHET_AGENT=codex RATCHET_MODEL_API=openai
USER node
