/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-explain.h"

#include <string.h>

#include "cache/th-uri.h"
#include "engine/th-engine-private.h"
#include "engine/th-types.h"

typedef struct
{
  mode_t mode;
  const char *name;
} KindRow;

static const KindRow kinds[] = {
  { S_IFREG, "regular" }, { S_IFDIR, "folder" },           { S_IFIFO, "fifo" },
  { S_IFSOCK, "socket" }, { S_IFCHR, "character device" }, { S_IFBLK, "block device" },
};

static const char *
name_kind (mode_t mode)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if ((mode & S_IFMT) == kinds[i].mode)
      return kinds[i].name;
  return "other";
}

static void
handler_clear (gpointer data)
{
  g_free (((ThExplainedHandler *) data)->rule);
}

/* FALSE: nothing is there. */
static gboolean
look_at_file (ThExplanation *about, ThStamp *stamp)
{
  struct stat st;

  about->path = th_uri_to_path (about->uri, NULL);
  if (about->path == NULL || !th_stamp_for_lookup (about->path, stamp, &st, NULL))
    return FALSE;
  about->kind = name_kind (st.st_mode);
  about->size = stamp->size;
  about->mtime = stamp->mtime;
  return TRUE;
}

static void
look_at_types (ThExplanation *about)
{
  about->type_chain = th_types_chain (about->type);
  if (about->path == NULL)
    return;
  about->type_by_name = th_types_by_name (about->path);
  about->type_by_data = th_types_by_data (about->path);
}

static void
look_at_handlers (ThEngine *engine, ThExplanation *about)
{
  const char *codec = th_mime_codec (engine->mime, about->type);
  ThExplainedHandler handler = { .name = codec };

  if (codec == NULL)
    return;
  if (codec[0] == '\0')
    handler.name = "any";
  if (about->path != NULL)
    handler.rule = th_check_codec (engine->options.rules, about->path, about->size, codec);
  g_array_append_val (about->handlers, handler);
}

static char *
say_why (ThCacheState state, const char *key, const GError *error)
{
  if (state == TH_CACHE_VALID)
    return NULL;
  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return g_strdup ("there is none");
  if (error != NULL)
    return g_utf8_make_valid (error->message, -1);
  return g_strdup_printf (state == TH_CACHE_STALE ? "%s is of another state of the file"
                                                  : "%s is missing, malformed or of another file",
                          key);
}

/* stamp is NULL where there is no file; then none is valid. */
static void
look_at_thumbnail (ThEngine *engine, const ThExplanation *about, const ThStamp *stamp,
                   ThExplainedThumbnail *thumbnail)
{
  static const ThStamp nothing = { 0 };
  g_autoptr (GError) error = NULL;
  const char *key;

  thumbnail->path = th_cache_path (engine->cache, about->uri, thumbnail->flavor);
  thumbnail->state = th_cache_examine (engine->cache, about->uri, thumbnail->flavor,
                                       stamp != NULL ? stamp : &nothing, &key, &error);
  if (stamp == NULL && thumbnail->state != TH_CACHE_MISSING)
    {
      thumbnail->state = TH_CACHE_STALE;
      thumbnail->why = g_strdup ("the file is gone");
      return;
    }
  thumbnail->why = say_why (thumbnail->state, key, error);
}

static void
look_at_failure (ThEngine *engine, ThExplanation *about, const ThStamp *stamp)
{
  about->failure_path = th_fail_path (engine->cache, about->uri);
  about->failure_state = th_fail_lookup (engine->cache, about->uri, stamp,
                                         &engine->check_tools.basis, &about->failure);
  about->failure_forbids = about->failure_state == TH_FAIL_VALID
                           && th_failure_forbids (&about->failure, th_flavor_box (about->flavor));
}

static void
judge (ThEngine *engine, ThExplanation *about)
{
  g_auto (ThChecker) checker = { .tools = &engine->check_tools };
  ThCheck check;

  th_check (&checker, about->uri, about->type, about->flavor, &check);
  about->verdict = check.verdict;
  about->reason = check.reason;
  about->code = check.code;
  about->message = check.message;
}

static void
note_pixels (ThEngine *engine, ThExplanation *about, const ThDecoded *decoded)
{
  ThTrial *trial = &about->trial;

  memcpy (trial->codec, decoded->codec, sizeof trial->codec);
  memcpy (trial->mime_type, decoded->mime_type, sizeof trial->mime_type);
  trial->full = decoded->full;
  trial->message = th_check_codec (engine->options.rules, about->path, about->size, decoded->codec);
}

/* The way of a job up to where it would be written. */
static void
try_it (ThEngine *engine, ThExplanation *about)
{
  ThTrial *trial = &about->trial;
  g_autoptr (GError) error = NULL;
  g_auto (ThJob) job;

  th_job_init (&job, &engine->tools, TH_FOREGROUND);
  trial->done = TRUE;
  trial->status = TH_STATUS_IO;
  if (th_job_open (&job, about->path, &error)
      && th_job_decode (&job, TH_FLAVOR_BIT (about->flavor), &error))
    {
      trial->status = job.status;
      note_pixels (engine, about, &job.decoded);
      return;
    }
  if (job.status != TH_STATUS_OK)
    trial->status = job.status;
  trial->message = g_utf8_make_valid (error->message, -1);
}

static gboolean
is_good (const ThExplanation *about)
{
  const ThTrial *trial = &about->trial;

  if (about->verdict != TH_CHECK_MAKE || !trial->done)
    return about->verdict != TH_CHECK_ERROR;
  return th_status_has_pixels (trial->status) && trial->message == NULL;
}

ThExplanation *
th_explain (ThEngine *engine, const ThExplainQuestion *question)
{
  ThExplanation *about = g_new0 (ThExplanation, 1);
  ThStamp stamp = { 0 };
  gboolean there;

  about->uri = g_strdup (question->uri);
  about->type = g_strdup (question->mime_type);
  about->flavor = question->flavor;
  about->handlers = g_array_new (FALSE, FALSE, sizeof (ThExplainedHandler));
  g_array_set_clear_func (about->handlers, handler_clear);
  there = look_at_file (about, &stamp);
  look_at_types (about);
  look_at_handlers (engine, about);
  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    {
      about->thumbnails[flavor].flavor = flavor;
      look_at_thumbnail (engine, about, there ? &stamp : NULL, &about->thumbnails[flavor]);
    }
  look_at_failure (engine, about, &stamp);
  judge (engine, about);
  if (question->try_it
      && (about->reason == TH_REASON_MAKE || about->reason == TH_REASON_REMEMBERED))
    try_it (engine, about);
  about->good = is_good (about);
  return about;
}

void
th_explanation_free (ThExplanation *about)
{
  g_free (about->uri);
  g_free (about->path);
  g_free (about->type);
  g_free (about->type_by_name);
  g_free (about->type_by_data);
  g_strfreev (about->type_chain);
  g_array_unref (about->handlers);
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    {
      g_free (about->thumbnails[i].path);
      g_free (about->thumbnails[i].why);
    }
  g_free (about->failure_path);
  th_failure_clear (&about->failure);
  g_free (about->message);
  g_free (about->trial.message);
  g_free (about);
}

void
th_explain_system (ThEngine *engine, gboolean ask_worker, ThExplainedSystem *system)
{
  ThPoolGreeting greeting = { 0 };
  g_autoptr (GError) unwritable = NULL;
  g_autoptr (GError) trouble = NULL;

  *system = (ThExplainedSystem){ .asked = ask_worker };
  system->cache_root = g_strdup (th_cache_root (engine->cache));
  if (!th_cache_check_writable (engine->cache, &unwritable))
    system->unwritable = g_strdup (unwritable->message);
  if (!ask_worker)
    return;
  if (th_pool_probe (engine->pool, TH_FOREGROUND, &greeting, &trouble) != TH_STATUS_OK)
    system->trouble = g_strdup (trouble->message);
  system->seccomp = greeting.seccomp;
  system->landlock_abi = greeting.landlock_abi;
}

void
th_explained_system_clear (ThExplainedSystem *system)
{
  g_free (system->cache_root);
  g_free (system->unwritable);
  g_free (system->trouble);
  *system = (ThExplainedSystem){ 0 };
}
