/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/hostile-source.h"

#include <glib/gstdio.h>
#include <unistd.h>

void
source_init (Source *source, const char *word)
{
  int fd = g_file_open_tmp ("thimble-hostile-XXXXXX", &source->path, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  source->text = g_strdup_printf ("EVIL %s %d\n", word, (int) getpid ());
  g_assert_true (g_file_set_contents (source->path, source->text, -1, NULL));
  g_assert_cmpint (g_chmod (source->path, 0640), ==, 0);
  g_assert_cmpint (stat (source->path, &source->before), ==, 0);
}

void
source_clear (Source *source)
{
  g_unlink (source->path);
  g_free (source->path);
  g_free (source->text);
}

void
assert_untouched (const Source *source)
{
  g_autofree char *text = NULL;
  struct stat now;

  g_assert_true (g_file_get_contents (source->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, source->text);
  g_assert_cmpint (stat (source->path, &now), ==, 0);
  g_assert_cmpuint (now.st_mode, ==, source->before.st_mode);
  g_assert_cmpint (now.st_mtim.tv_sec, ==, source->before.st_mtim.tv_sec);
  g_assert_cmpint (now.st_mtim.tv_nsec, ==, source->before.st_mtim.tv_nsec);
  /* Any change at all, extended attributes and owners too. */
  g_assert_cmpint (now.st_ctim.tv_sec, ==, source->before.st_ctim.tv_sec);
  g_assert_cmpint (now.st_ctim.tv_nsec, ==, source->before.st_ctim.tv_nsec);
}
