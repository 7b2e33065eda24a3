#pragma once
#include <spawn.h>

// glibc has them (closefrom since 2.34), and declares them only where all of GNU is asked for, which Swift's module of it
// does not.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int lowest);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *folder);
int pipe2(int ends[2], int flags);
