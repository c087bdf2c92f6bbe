from core.sampling.settings import SamplingSettings
DEFAULTS = {
    "green": SamplingSettings(watermark="green", watermark_delta=5.0),
    "synthid": SamplingSettings(watermark="synthid", watermark_context=4),
}
