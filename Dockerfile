# docker build -t token-probability-viewer .                       for a CPU
# docker build -t token-probability-viewer --build-arg DEVICE=cuda .   for an NVIDIA GPU (run it with --gpus all)
# docker run -p 8501:8501 token-probability-viewer
FROM python:3.11-slim

ARG DEVICE=cpu

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    HF_HOME=/home/viewer/models

RUN useradd --create-home --uid 10001 viewer && install -d -o viewer -g viewer /home/viewer/models
WORKDIR /home/viewer/app

# torch from PyPI brings CUDA along, several gigabytes of it; a CPU needs only the small build of the same version.
COPY requirements.txt .
RUN if [ "$DEVICE" = cpu ]; then pip install --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements.txt)"; fi \
    && pip install -r requirements.txt

COPY . .

USER viewer
VOLUME /home/viewer/models
EXPOSE 8501

HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]

# Secrets come at run time, never into the image: HF_TOKEN for gated models, STREAMLIT_SERVER_COOKIE_SECRET shared by all replicas.
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]
