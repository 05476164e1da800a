/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-paths.h"

#define SENTINEL "thimble-uninstalled"

/* The build root, or NULL for an installed binary. Programs lie in BUILD/src/NAME/ or
 * BUILD/tests/NAME/. */
static char *
build_root (void)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *dir = exe != NULL ? g_path_get_dirname (exe) : NULL;
  g_autofree char *root = dir != NULL ? g_build_filename (dir, "..", "..", NULL) : NULL;
  g_autofree char *sentinel = root != NULL ? g_build_filename (root, SENTINEL, NULL) : NULL;

  if (sentinel == NULL || !g_file_test (sentinel, G_FILE_TEST_IS_REGULAR))
    return NULL;
  return g_canonicalize_filename (root, "/");
}

static char *
locate (const char *knob, const char *built, const char *installed)
{
  g_autofree char *root = build_root ();

  if (root == NULL)
    return g_strdup (installed);
  if (g_getenv (knob) != NULL)
    return g_strdup (g_getenv (knob));
  return g_build_filename (root, built, NULL);
}

gboolean
th_paths_uninstalled (void)
{
  g_autofree char *root = build_root ();

  return root != NULL;
}

char *
th_paths_worker (void)
{
  return locate ("TH_WORKER", "src/worker/thimble-worker", TH_LIBEXECDIR "/thimble-worker");
}

char *
th_paths_modules (void)
{
  return locate ("TH_MODULES", "src/modules", TH_LIBEXECDIR);
}

char *
th_paths_module (const char *folder, const char *name)
{
  g_autofree char *program = g_strconcat ("thimble-worker-", name, NULL);

  return g_build_filename (folder, program, NULL);
}

char *
th_paths_external (void)
{
  return locate ("TH_EXTERNAL", "src/sandbox/thimble-external", TH_LIBEXECDIR "/thimble-external");
}

char *
th_paths_reader (void)
{
  return locate ("TH_READER", "src/reader/thimble-reader", TH_LIBEXECDIR "/thimble-reader");
}

char *
th_paths_volumes (void)
{
  return locate ("TH_VOLUMES", "src/volumes/thimble-volumes", TH_LIBEXECDIR "/thimble-volumes");
}

char *
th_paths_manifests (void)
{
  return locate ("TH_MANIFESTS", "src/manifests", TH_MANIFESTDIR);
}

char *
th_paths_data (void)
{
  return locate ("TH_DATA", "data/thimble", TH_DATADIR);
}
