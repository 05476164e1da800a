/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-cores.h"
#include "base/th-paths.h"
#include "engine/th-config.h"
#include "engine/th-engine-private.h"
#include "engine/th-mime.h"

/* Of the debug knob: a slip must not start thousands of processes. */
#define MAX_CORES 256

void
th_engine_options_init (ThEngineOptions *options)
{
  *options = (ThEngineOptions){
    .max_queued = 500000,
    .max_queued_bytes = 256u * 1024u * 1024u,
    .max_orphaned = 20000,
    .specialist_ms = 20000,
    .idle_seconds = 300,
    .worker_files = 256,
    .worker_idle_ms = 30000,
    .quiet_ms = 1000,
    .hold_ms = 10000,
  };
  th_limits_init (&options->limits);
  th_sweep_budget_init (&options->sweep);
  th_external_options_init (&options->external);
  th_readers_options_init (&options->readers);
}

void
th_engine_options_clear (ThEngineOptions *options)
{
  g_clear_pointer (&options->cache_root, g_free);
  g_clear_pointer (&options->worker_path, g_free);
  g_clear_pointer (&options->module_dir, g_free);
  g_clear_pointer (&options->manifest_dir, g_free);
  th_external_options_clear (&options->external);
  g_free ((char *) options->readers.program);
  options->readers.program = NULL;
  g_clear_pointer (&options->rules, th_rules_unref);
  g_clear_pointer (&options->config_path, g_free);
  g_clear_pointer (&options->problems, g_ptr_array_unref);
}

/* A rule for a format that nobody knows is a rule that somebody believes in vain. */
static void
check_codecs (const ThEngineOptions *options, ThConf *conf)
{
  g_autofree char *folder =
      options->manifest_dir != NULL ? g_strdup (options->manifest_dir) : th_paths_manifests ();
  g_autoptr (ThMime) mime = NULL;
  g_autofree const char **codecs = NULL;

  if (th_rules_are_empty (options->rules))
    return;
  mime = th_mime_new (folder, NULL, NULL);
  if (mime == NULL)
    return;
  codecs = th_mime_codecs (mime);
  th_rules_check_codecs (options->rules, codecs, conf);
}

/* One that cannot be read stops tumbler from nothing. */
static ThConf *
read_tumbler (ThEngineOptions *options)
{
  ThConf *conf = th_config_load_tumbler ();

  if (th_conf_files (conf)->len > 0)
    options->rules = th_rules_from_tumbler (conf);
  return conf;
}

static void
read_own (ThEngineOptions *options, ThConf *conf)
{
  options->rules = th_rules_from_conf (conf);
  check_codecs (options, conf);
  th_config_read_external (conf, &options->external);
  th_config_read_specialized (conf, &options->specialist_ms);
  th_config_read_remote (conf, &options->readers, &options->fetch_cloud);
  th_config_read_cache (conf, &options->sweep);
  th_config_read_privacy (conf, &options->keep_encrypted);
  th_config_read_limits (conf, &options->limits);
  th_config_read_service (conf, &options->idle_seconds);
}

static char *
join_files (const ThConf *conf)
{
  const GPtrArray *files = th_conf_files (conf);
  GString *out = g_string_new (NULL);

  for (guint i = files->len; i > 0; i--)
    g_string_append_printf (out, "%s%s", out->len > 0 ? ", over " : "",
                            (const char *) files->pdata[i - 1]);
  return g_string_free (out, out->len == 0);
}

gboolean
th_engine_options_load (ThEngineOptions *options, GError **error)
{
  g_autoptr (ThConf) conf = th_config_load ();
  const char *fault = th_conf_fault (conf);

  g_clear_pointer (&options->problems, g_ptr_array_unref);
  g_clear_pointer (&options->rules, th_rules_unref);
  g_clear_pointer (&options->config_path, g_free);
  if (th_conf_files (conf)->len > 0)
    read_own (options, conf);
  else
    {
      g_clear_pointer (&conf, th_conf_free);
      conf = read_tumbler (options);
    }
  options->config_path = join_files (conf);
  options->problems = g_ptr_array_ref (th_conf_problems (conf));
  if (fault == NULL)
    return TRUE;
  g_set_error_literal (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE, fault);
  return FALSE;
}

static char *
or_ours (const char *path, char *(*ours) (void) )
{
  return path != NULL ? g_strdup (path) : ours ();
}

static guint
default_cores (void)
{
  const char *knob = th_paths_uninstalled () ? g_getenv ("TH_CORES") : NULL;
  guint64 cores;

  if (knob != NULL && g_ascii_string_to_unsigned (knob, 10, 1, MAX_CORES, &cores, NULL))
    return (guint) cores;
  return th_effective_cores ("");
}

void
th_engine_options_copy (ThEngineOptions *own, const ThEngineOptions *options)
{
  *own = *options;
  own->problems = NULL;
  own->config_path = NULL;
  own->readers.program = g_strdup (options->readers.program);
  own->external.folders = g_strdupv (options->external.folders);
  own->rules = options->rules != NULL ? th_rules_ref (options->rules) : th_rules_new ();
  own->cache_root = g_strdup (options->cache_root);
  own->worker_path = or_ours (options->worker_path, th_paths_worker);
  own->module_dir = or_ours (options->module_dir, th_paths_modules);
  own->manifest_dir = or_ours (options->manifest_dir, th_paths_manifests);
  own->cores = options->cores > 0 ? options->cores : default_cores ();
  own->worker_files = MAX (options->worker_files, 1);
}
