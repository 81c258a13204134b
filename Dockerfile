# The OpenEnv server and the page. Build: docker build -t revops-ma .
# Run: docker run -p 8000:8000 -e REVOPS_MA_TOKEN=... revops-ma
ARG BASE=python:3.11-slim
FROM ${BASE}

# Spaces run containers as this user.
RUN useradd --create-home --uid 1000 app
WORKDIR /app

# What is installed changes less often than the source: its layer is kept.
COPY pyproject.toml constraints.txt LICENSE README.md ./
COPY revops_ma ./revops_ma
COPY agents ./agents
COPY scenarios ./scenarios
RUN pip install --no-cache-dir -c constraints.txt ".[serve,llm]"

COPY server ./server
COPY openenv.yaml ./
USER 1000

# Numba keeps what it compiled beside the user's files, since /app is not writable.
ENV NUMBA_CACHE_DIR=/home/app/.cache/numba \
    PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=4)"]

# Refuses to start without REVOPS_MA_TOKEN, or REVOPS_MA_INSECURE=1 where everybody may play.
CMD ["revops-ma", "serve", "--host", "0.0.0.0", "--port", "8000"]
