#pragma once
// glibc's own: Swift's module of it leaves this header out.
#include <malloc.h>
