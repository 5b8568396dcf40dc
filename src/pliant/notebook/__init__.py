"""Sliders for the parameters of a model, in a notebook: `pip install "pliant[notebook]"`.

from pliant.notebook import sliders

sliders("hook.toml", friction=(0, 0.6))
"""

from pliant.notebook.widget import Sliders, sliders

__all__ = ["Sliders", "sliders"]
