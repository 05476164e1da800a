/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-bwrap.h"

#include <string.h>

/* Bounds of what is kept in memory by files. */
#define TMP_BYTES "134217728"
#define SHM_BYTES "67108864"

#define STRINGIFY(n) #n
#define TEXT(n)      STRINGIFY (n)

/* Where programs come from. */
static const char *const roots[] = { "/usr", "/nix/store", "/gnu/store", NULL };

/* Links into /usr on merged systems, folders on others. */
static const char *const tops[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", NULL };

/* How this system is set up, as far as pictures, fonts and the linker go; nothing about people. */
static const char *const settings[] = { "/etc/ld.so.cache",   "/etc/alternatives",
                                        "/etc/fonts",         "/var/cache/fontconfig",
                                        "/etc/ghostscript",   "/var/lib/ghostscript",
                                        "/etc/ImageMagick-6", "/etc/ImageMagick-7",
                                        "/etc/libreoffice",   NULL };

static const char *const options[] = { "--unshare-all",
                                       "--die-with-parent",
                                       "--new-session",
                                       "--clearenv",
                                       "--proc",
                                       "/proc",
                                       "--dev",
                                       "/dev",
                                       "--size",
                                       SHM_BYTES,
                                       "--tmpfs",
                                       "/dev/shm",
                                       "--size",
                                       TMP_BYTES,
                                       "--tmpfs",
                                       "/tmp",
                                       NULL };

static const char *const environment[][2] = {
  { "PATH", "/usr/local/bin:/usr/bin:/bin" },
  { "HOME", "/tmp" },
  { "TMPDIR", "/tmp" },
  { "LANG", "C.UTF-8" },
  { "LC_ALL", "C.UTF-8" },
  { "GIO_USE_VFS", "local" },
  { "GSETTINGS_BACKEND", "memory" },
  { "DCONF_PROFILE", "/nonexistent" },
};

/* Last, when all that is in it is in place: both are memory without a bound. */
static const char *const seals[] = { "--remount-ro", "/dev", "--remount-ro", "/", NULL };

static void
add (GPtrArray *arguments, const char *a, const char *b, const char *c)
{
  g_ptr_array_add (arguments, g_strdup (a));
  if (b != NULL)
    g_ptr_array_add (arguments, g_strdup (b));
  if (c != NULL)
    g_ptr_array_add (arguments, g_strdup (c));
}

static void
add_all (GPtrArray *arguments, const char *const *list)
{
  for (; *list != NULL; list++)
    add (arguments, *list, NULL, NULL);
}

static void
add_top (GPtrArray *arguments, const char *path)
{
  g_autofree char *target = g_file_read_link (path, NULL);

  if (target != NULL)
    add (arguments, "--symlink", target, path);
  else
    add (arguments, "--ro-bind-try", path, path);
}

static void
add_system (GPtrArray *arguments)
{
  for (guint i = 0; roots[i] != NULL; i++)
    add (arguments, "--ro-bind-try", roots[i], roots[i]);
  for (guint i = 0; tops[i] != NULL; i++)
    add_top (arguments, tops[i]);
  for (guint i = 0; settings[i] != NULL; i++)
    add (arguments, "--ro-bind-try", settings[i], settings[i]);
}

/* The list of its plug-ins, or each run would look at all of them anew. */
static void
add_gstreamer (GPtrArray *arguments)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "gstreamer-1.0", NULL);

  add (arguments, "--ro-bind-try", folder, "/tmp/.cache/gstreamer-1.0");
}

GPtrArray *
th_bwrap_arguments (const ThBwrap *bwrap)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  add (arguments, bwrap->bwrap, NULL, NULL);
  add_all (arguments, options);
  for (guint i = 0; i < G_N_ELEMENTS (environment); i++)
    add (arguments, "--setenv", environment[i][0], environment[i][1]);
  add_system (arguments);
  add_gstreamer (arguments);
  if (bwrap->bind != NULL)
    add (arguments, "--ro-bind", bwrap->bind, bwrap->bind);
  add (arguments, "--ro-bind", bwrap->helper, TH_BWRAP_HELPER);
  if (bwrap->source != NULL)
    add (arguments, "--ro-bind", bwrap->source, bwrap->source_there);
  if (bwrap->source_is_data)
    add (arguments, "--ro-bind-data", TEXT (TH_BWRAP_SOURCE_FD), bwrap->source_there);
  add_all (arguments, seals);
  add (arguments, "--chdir", "/", NULL);
  add (arguments, "--seccomp", TEXT (TH_BWRAP_FILTER_FD), NULL);
  add (arguments, "--info-fd", TEXT (TH_BWRAP_INFO_FD), NULL);
  return arguments;
}

static gboolean
is_below (const char *path, const char *folder)
{
  gsize n = strlen (folder);

  return strncmp (path, folder, n) == 0 && path[n] == '/';
}

gboolean
th_bwrap_shows (const char *path, const char *bind)
{
  for (guint i = 0; roots[i] != NULL; i++)
    if (is_below (path, roots[i]))
      return TRUE;
  for (guint i = 0; tops[i] != NULL; i++)
    if (is_below (path, tops[i]))
      return TRUE;
  return bind != NULL && is_below (path, bind);
}
