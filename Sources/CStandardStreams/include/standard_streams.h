#pragma once

// Nothing to call: a program that contains this module has its standard streams reserved before `main`.
