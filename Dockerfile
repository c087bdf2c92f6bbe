# docker build -t token-probability-viewer .                 with torch as pip brings it, CUDA included (run it with --gpus all for a GPU)
# docker build -t token-probability-viewer --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cpu .   much smaller, for a CPU
# docker run -p 8501:8501 token-probability-viewer
FROM python:3.11-slim

ARG TORCH_INDEX=

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    HF_HOME=/home/viewer/models

RUN useradd --create-home --uid 10001 viewer && install -d -o viewer -g viewer /home/viewer/models
WORKDIR /home/viewer/app

# torch usually brings CUDA along, several gigabytes of it; a CPU needs only the small build of the same version, from an index of its own.
COPY requirements.txt .
RUN if [ -n "$TORCH_INDEX" ]; then pip install --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)"; fi \
    && pip install -r requirements.txt

COPY . .

USER viewer
VOLUME /home/viewer/models
EXPOSE 8501

HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/healthz', timeout=4)"]

# It listens beyond this machine, so it is a public instance: visitors choose, TOKEN_VIEWER_OPERATOR_PASSWORD makes an operator (SECURITY.md).
# Secrets come at run time, never into the image: HF_TOKEN for gated models, STREAMLIT_SERVER_COOKIE_SECRET shared by all replicas.
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]
