"""The commands of fastsvm, one a file: options in, results out."""

from .certify import certify
from .convert import convert
from .cv import cv
from .fit import fit
from .path import path
from .predict import predict

COMMANDS = (fit, predict, certify, path, cv, convert)
