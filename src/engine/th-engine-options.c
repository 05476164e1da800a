/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-config.h"
#include "engine/th-engine.h"

void
th_engine_options_init (ThEngineOptions *options)
{
  *options = (ThEngineOptions){ .worker_files = 256, .worker_idle_ms = 30000 };
  th_limits_init (&options->limits);
}

void
th_engine_options_clear (ThEngineOptions *options)
{
  g_clear_pointer (&options->cache_root, g_free);
  g_clear_pointer (&options->worker_path, g_free);
  g_clear_pointer (&options->manifest_dir, g_free);
  g_clear_pointer (&options->rules, th_rules_unref);
  g_clear_pointer (&options->config_path, g_free);
  g_clear_pointer (&options->problems, g_ptr_array_unref);
}

/* One that cannot be read stops tumbler from nothing. */
static void
load_tumbler (ThEngineOptions *options)
{
  g_autoptr (GKeyFile) file = NULL;
  g_autoptr (GError) error = NULL;

  options->config_path = th_config_find_tumbler ();
  if (options->config_path == NULL)
    return;
  file = th_config_load (options->config_path, &error);
  if (file != NULL)
    options->rules = th_rules_from_tumbler (file, options->problems);
  else
    g_ptr_array_add (options->problems, g_utf8_make_valid (error->message, -1));
}

gboolean
th_engine_options_load (ThEngineOptions *options, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;

  g_clear_pointer (&options->problems, g_ptr_array_unref);
  g_clear_pointer (&options->rules, th_rules_unref);
  g_clear_pointer (&options->config_path, g_free);
  options->problems = g_ptr_array_new_with_free_func (g_free);
  options->config_path = th_config_find ();
  if (options->config_path == NULL)
    {
      load_tumbler (options);
      return TRUE;
    }
  file = th_config_load (options->config_path, error);
  if (file == NULL)
    return FALSE;
  options->rules = th_rules_from_conf (file, options->problems);
  return th_config_read_limits (options->config_path, &options->limits, options->problems, error);
}
