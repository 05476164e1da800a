/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-fonts.h"

static const char *const system_folders[] = {
  "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
  "/etc/fonts",       "/var/cache/fontconfig",
};

static const char *const home_folders[] = {
  ".fonts",
  ".local/share/fonts",
  ".config/fontconfig",
  ".cache/fontconfig",
};

GStrv
th_fonts_folders (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *home = g_get_home_dir ();

  g_setenv ("HOME", home, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (system_folders); i++)
    g_strv_builder_add (builder, system_folders[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (home_folders); i++)
    {
      g_autofree char *folder = g_build_filename (home, home_folders[i], NULL);

      g_strv_builder_add (builder, folder);
    }
  return g_strv_builder_end (builder);
}
