/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-program.h"

#include <fcntl.h>
#include <unistd.h>

void
th_program_init (ThProgram *program, const char *path)
{
  *program = (ThProgram){ .path = g_strdup (path), .fd = open (path, O_PATH | O_CLOEXEC) };
  if (program->fd >= 0 && fstat (program->fd, &program->st) != 0)
    close (g_steal_fd (&program->fd));
}

void
th_program_clear (ThProgram *program)
{
  if (program->fd >= 0)
    close (g_steal_fd (&program->fd));
  g_clear_pointer (&program->path, g_free);
}

gboolean
th_program_is_replaced (const ThProgram *program)
{
  const struct stat *old = &program->st;
  struct stat now;

  if (program->fd < 0)
    return FALSE;
  return stat (program->path, &now) != 0 || now.st_dev != old->st_dev || now.st_ino != old->st_ino
         || now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec
         || now.st_mtim.tv_nsec != old->st_mtim.tv_nsec;
}

/* Our descriptor leads to the old file by the child, too, until that has become it. */
char *
th_program_to_run (const ThProgram *program)
{
  if (th_program_is_replaced (program))
    return g_strdup_printf ("/proc/%d/fd/%d", (int) getpid (), program->fd);
  return g_strdup (program->path);
}
