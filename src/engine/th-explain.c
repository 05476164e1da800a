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
  ThExplainedHandler *handler = data;

  g_free (handler->name);
  g_free (handler->rule);
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
add_handler (ThExplanation *about, gboolean built_in, const char *name, char *rule)
{
  ThExplainedHandler handler = { built_in, g_strdup (name), rule };

  g_array_append_val (about->handlers, handler);
}

static char *
find_rule (ThEngine *engine, const ThExplanation *about, const char *codec)
{
  if (about->path == NULL)
    return NULL;
  return th_check_codec (engine->options.rules, about->path, about->size, codec);
}

static void
add_entry (ThEngine *engine, ThExplanation *about, const ThEntry *entry)
{
  char *rule = find_rule (engine, about, TH_MIME_EXTERNAL);

  if (rule == NULL && about->path != NULL
      && !th_entry_rules_allow (&entry->rules, about->path, about->size))
    rule = g_strdup ("the entry's own");
  add_handler (about, FALSE, entry->name, rule);
}

/* What the file may be, best known first, as those who run programs go by it. */
static GPtrArray *
list_types (ThEngine *engine, const ThExplanation *about)
{
  GPtrArray *types = g_ptr_array_new ();
  const char *codec = th_mime_codec (engine->mime, about->type);

  if (codec == NULL || codec[0] != '\0')
    g_ptr_array_add (types, about->type);
  if (about->type_by_data != NULL && !g_str_equal (about->type_by_data, about->type))
    g_ptr_array_add (types, about->type_by_data);
  g_ptr_array_add (types, NULL);
  return types;
}

/* Our own decoders first: they look at the data, whatever the type is. */
static void
look_at_handlers (ThEngine *engine, ThExplanation *about)
{
  const char *codec = th_mime_codec (engine->mime, about->type);
  g_autoptr (GPtrArray) types = list_types (engine, about);
  g_autoptr (GPtrArray) entries = NULL;

  if (codec == NULL)
    return;
  if (!g_str_equal (codec, TH_MIME_EXTERNAL))
    add_handler (about, TRUE, codec[0] != '\0' ? codec : "any", find_rule (engine, about, codec));
  entries = th_entries_list (engine->check_tools.entries, (const char *const *) types->pdata);
  for (guint i = 0; i < entries->len; i++)
    add_entry (engine, about, entries->pdata[i]);
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
  const char *codec = th_mime_codec (engine->mime, about->type);
  ThFailBasis basis = engine->check_tools.basis;
  g_autofree char *programs = NULL;

  if (codec != NULL && g_str_equal (codec, TH_MIME_EXTERNAL))
    basis.handler = programs = th_check_programs (engine->check_tools.entries, about->type);
  about->failure_path = th_fail_path (engine->cache, about->uri);
  about->failure_state = th_fail_lookup (engine->cache, about->uri, stamp, &basis, &about->failure);
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

/* Programs of others have their turn with what none of our decoders knows. */
static gboolean
make (ThEngine *engine, const ThExplanation *about, ThJob *job, GError **error)
{
  ThFlavors flavors = TH_FLAVOR_BIT (about->flavor);
  g_autoptr (GPtrArray) types = list_types (engine, about);
  g_autoptr (GPtrArray) entries = NULL;

  if (th_job_decode (job, flavors, error))
    return TRUE;
  if (job->status != TH_STATUS_NOT_MINE)
    return FALSE;
  entries = th_entries_list (engine->check_tools.entries, (const char *const *) types->pdata);
  if (entries->len == 0)
    return FALSE;
  g_clear_error (error);
  return th_job_run_programs (job, flavors, (const char *const *) types->pdata, error);
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
  if (th_job_open (&job, about->path, &error) && make (engine, about, &job, &error))
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
  system->external = th_engine_external_trouble (engine);
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
  g_free (system->external);
  *system = (ThExplainedSystem){ 0 };
}
