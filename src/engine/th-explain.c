/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-explain.h"

#include <string.h>

#include "cache/th-uri.h"
#include "engine/th-decoders.h"
#include "engine/th-engine-private.h"
#include "engine/th-far.h"
#include "engine/th-message.h"
#include "engine/th-types.h"

/* What is known while it is asked. */
typedef struct
{
  ThEngine *engine;
  ThExplanation *about;
  ThJob job;
  ThFar far;
  gboolean apart; /* far is in use */
  gboolean there; /* there is a file, of this stamp */
  ThStamp stamp;
  GError *silence; /* why a file apart could not be looked at */
} Inquiry;

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
  g_free (handler->trouble);
}

/* FALSE: nothing is there. */
static gboolean
find_file (Inquiry *inquiry, struct stat *st)
{
  ThExplanation *about = inquiry->about;

  if (!inquiry->apart)
    return about->path != NULL && th_stamp_for_lookup (about->path, &inquiry->stamp, st, NULL);
  if (!th_far_look (&inquiry->far, &inquiry->job, &inquiry->silence))
    return FALSE;
  inquiry->stamp = inquiry->far.facts.stamp;
  *st = inquiry->far.facts.st;
  return TRUE;
}

static void
look_at_file (Inquiry *inquiry)
{
  ThExplanation *about = inquiry->about;
  struct stat st;

  about->path = th_uri_to_path (about->uri, NULL);
  inquiry->apart = th_far_name (&inquiry->far, inquiry->engine, about->uri);
  inquiry->there = find_file (inquiry, &st);
  if (!inquiry->there)
    return;
  about->kind = name_kind (st.st_mode);
  about->size = inquiry->stamp.size;
  about->mtime = inquiry->stamp.mtime;
}

/* The data of a file apart are fetched only for a decode. */
static void
look_at_types (const Inquiry *inquiry)
{
  ThExplanation *about = inquiry->about;

  about->type_chain = th_types_chain (about->type);
  if (about->path != NULL)
    about->type_by_name = th_types_by_name (about->path);
  if (about->path != NULL && !inquiry->apart)
    about->type_by_data = th_types_by_data (about->path);
}

static void
add_handler (ThExplanation *about, gboolean built_in, const char *name, char *rule)
{
  ThExplainedHandler handler = { .built_in = built_in, .name = g_strdup (name), .rule = rule };

  g_array_append_val (about->handlers, handler);
}

static char *
find_rule (const Inquiry *inquiry, const char *codec)
{
  const ThExplanation *about = inquiry->about;
  const char *path = about->path != NULL ? about->path : about->uri;
  const char *real = inquiry->apart ? inquiry->far.facts.path : NULL;

  if (about->path == NULL && !inquiry->apart)
    return NULL;
  if (inquiry->apart && real == NULL)
    real = path;
  return th_check_codec (inquiry->engine->options.rules, path, real, about->size, codec);
}

static void
add_entry (const Inquiry *inquiry, const ThEntry *entry)
{
  ThExplanation *about = inquiry->about;
  char *rule = find_rule (inquiry, TH_MIME_EXTERNAL);

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

/* Of the handler that was added last, where it is a module's. */
static void
look_at_module (const Inquiry *inquiry, gboolean ask)
{
  GArray *handlers = inquiry->about->handlers;
  ThExplainedHandler *last = &g_array_index (handlers, ThExplainedHandler, handlers->len - 1);
  ThPoolGreeting greeting = { 0 };
  g_autoptr (GError) trouble = NULL;

  last->module = th_mime_module (inquiry->engine->mime, inquiry->about->type);
  last->asked = ask && last->module != NULL;
  if (!last->asked)
    return;
  th_pool_probe (inquiry->engine->pool, TH_FOREGROUND, last->module, &greeting, &trouble);
  last->trouble = trouble != NULL ? g_strdup (trouble->message) : NULL;
  last->seccomp = greeting.seccomp;
  last->landlock_abi = greeting.landlock_abi;
}

/* Our own decoders first: they look at the data, whatever the type is. */
static void
look_at_handlers (const Inquiry *inquiry, gboolean ask)
{
  ThEngine *engine = inquiry->engine;
  ThExplanation *about = inquiry->about;
  const char *codec = th_mime_codec (engine->mime, about->type);
  g_autoptr (GPtrArray) types = list_types (engine, about);
  g_autoptr (GPtrArray) entries = NULL;

  if (codec == NULL)
    return;
  if (!g_str_equal (codec, TH_MIME_EXTERNAL))
    {
      add_handler (about, TRUE, codec[0] != '\0' ? codec : "any", find_rule (inquiry, codec));
      look_at_module (inquiry, ask);
    }
  entries = th_entries_list (engine->check_tools.entries, (const char *const *) types->pdata);
  for (guint i = 0; i < entries->len; i++)
    add_entry (inquiry, entries->pdata[i]);
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
  g_autofree char *handler = NULL;

  handler = codec != NULL && g_str_equal (codec, TH_MIME_EXTERNAL)
                ? th_check_programs (engine->check_tools.entries, about->type)
                : th_check_handler_for (&engine->check_tools, about->type);
  if (handler != NULL)
    basis.handler = handler;
  about->failure_path = th_fail_path (engine->cache, about->uri);
  about->failure_state = th_fail_lookup (engine->cache, about->uri, stamp, &basis, &about->failure);
  about->failure_forbids = about->failure_state == TH_FAIL_VALID
                           && th_failure_forbids (&about->failure, th_flavor_box (about->flavor));
}

/* What else a look that failed may mean than that nobody answers. */
static const struct
{
  int code; /* GIOErrorEnum */
  ThReason reason;
} refusals[] = {
  { G_IO_ERROR_NOT_FOUND, TH_REASON_MISSING },
  { G_IO_ERROR_PERMISSION_DENIED, TH_REASON_UNREADABLE },
  { G_IO_ERROR_NOT_SUPPORTED, TH_REASON_NOT_LOCAL },
  { G_IO_ERROR_NOT_MOUNTED, TH_REASON_NOT_LOCAL },
};

static ThReason
reason_of (const GError *error)
{
  int code = error->code;

  if (error->domain == G_FILE_ERROR)
    code = g_io_error_from_file_error ((GFileError) error->code);
  else if (error->domain != G_IO_ERROR)
    return TH_REASON_SILENT;
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (refusals[i].code == code)
      return refusals[i].reason;
  return TH_REASON_SILENT;
}

static void
judge_silence (const Inquiry *inquiry, ThCheck *check)
{
  const GError *silence = inquiry->silence;

  *check = (ThCheck){ .verdict = TH_CHECK_ERROR, .reason = reason_of (silence) };
  check->code = th_message_code (silence);
  check->message = th_message_text (inquiry->about->uri, silence);
}

static void
judge (Inquiry *inquiry)
{
  ThExplanation *about = inquiry->about;
  g_auto (ThChecker) checker = { .tools = &inquiry->engine->check_tools };
  g_auto (ThCheck) check = { 0 };

  if (inquiry->silence != NULL)
    judge_silence (inquiry, &check);
  else if (inquiry->apart)
    th_far_check (&inquiry->far, about->type, about->flavor, &check);
  else
    th_check (&checker, about->uri, about->type, about->flavor, &check);
  about->verdict = check.verdict;
  about->reason = check.reason;
  about->code = check.code;
  about->message = g_steal_pointer (&check.message);
}

static void
note_pixels (Inquiry *inquiry)
{
  const ThDecoded *decoded = &inquiry->job.decoded;
  ThTrial *trial = &inquiry->about->trial;

  memcpy (trial->codec, decoded->codec, sizeof trial->codec);
  memcpy (trial->mime_type, decoded->mime_type, sizeof trial->mime_type);
  trial->full = decoded->full;
  trial->message = find_rule (inquiry, decoded->codec);
}

static gboolean
decode (Inquiry *inquiry, const char *const *types, ThFlavors flavors, GError **error)
{
  g_autoptr (GPtrArray) decoders = th_decoders_first (inquiry->engine->mime, types);

  if (inquiry->apart)
    return th_far_decode (&inquiry->far, flavors, th_decoders (decoders), error);
  return th_job_open (&inquiry->job, inquiry->about->path, error)
         && th_job_decode (&inquiry->job, flavors, th_decoders (decoders), error);
}

/* What its data say it is, where no decoder so far knew it. */
static gboolean
decode_as_seen (Inquiry *inquiry, const char *const *types, ThFlavors flavors, GError **error)
{
  ThJob *job = &inquiry->job;
  g_autoptr (GPtrArray) decoders = NULL;
  char *sniffed[2] = { NULL, NULL };

  th_types_sniff (job->source.fd, job->source.path, sniffed);
  decoders = th_decoders_further (inquiry->engine->mime, (const char *const *) sniffed,
                                  G_N_ELEMENTS (sniffed), types);
  g_free (sniffed[0]);
  g_free (sniffed[1]);
  if (decoders == NULL)
    return FALSE;
  g_clear_error (error);
  return th_job_decode (job, flavors, th_decoders (decoders), error);
}

/* Programs of others have their turn with what none of our decoders knows. */
static gboolean
make (Inquiry *inquiry, GError **error)
{
  ThEngine *engine = inquiry->engine;
  ThJob *job = &inquiry->job;
  ThFlavors flavors = TH_FLAVOR_BIT (inquiry->about->flavor);
  g_autoptr (GPtrArray) types = list_types (engine, inquiry->about);
  g_autoptr (GPtrArray) entries = NULL;

  if (decode (inquiry, (const char *const *) types->pdata, flavors, error)
      || (job->status == TH_STATUS_NOT_MINE
          && decode_as_seen (inquiry, (const char *const *) types->pdata, flavors, error)))
    return TRUE;
  if (job->status != TH_STATUS_NOT_MINE)
    return FALSE;
  entries = th_entries_list (engine->check_tools.entries, (const char *const *) types->pdata);
  if (entries->len == 0 || (inquiry->apart && !th_far_open_for_programs (&inquiry->far, NULL)))
    return FALSE;
  g_clear_error (error);
  return th_job_run_programs (job, flavors, (const char *const *) types->pdata, error);
}

/* The way of a job up to where it would be written. */
static void
try_it (Inquiry *inquiry)
{
  ThTrial *trial = &inquiry->about->trial;
  ThJob *job = &inquiry->job;
  g_autoptr (GError) error = NULL;

  trial->done = TRUE;
  trial->status = TH_STATUS_IO;
  if (make (inquiry, &error))
    {
      trial->status = job->status;
      note_pixels (inquiry);
      return;
    }
  if (job->status != TH_STATUS_OK)
    trial->status = job->status;
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

static void
look_at_thumbnails (const Inquiry *inquiry)
{
  ThExplanation *about = inquiry->about;

  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    {
      about->thumbnails[flavor].flavor = flavor;
      look_at_thumbnail (inquiry->engine, about, inquiry->there ? &inquiry->stamp : NULL,
                         &about->thumbnails[flavor]);
    }
}

static ThExplanation *
explanation_new (const ThExplainQuestion *question)
{
  ThExplanation *about = g_new0 (ThExplanation, 1);

  about->uri = g_strdup (question->uri);
  about->type = g_strdup (question->mime_type);
  about->flavor = question->flavor;
  about->handlers = g_array_new (FALSE, FALSE, sizeof (ThExplainedHandler));
  g_array_set_clear_func (about->handlers, handler_clear);
  return about;
}

ThExplanation *
th_explain (ThEngine *engine, const ThExplainQuestion *question)
{
  ThExplanation *about = explanation_new (question);
  Inquiry inquiry = { .engine = engine, .about = about };

  th_job_init (&inquiry.job, &engine->tools, TH_FOREGROUND);
  look_at_file (&inquiry);
  look_at_types (&inquiry);
  about->specialists = th_explain_specialists (engine, about->uri, about->type);
  look_at_handlers (&inquiry, question->try_it);
  look_at_thumbnails (&inquiry);
  look_at_failure (engine, about, &inquiry.stamp);
  judge (&inquiry);
  if (question->try_it && about->specialists->len == 0
      && (about->reason == TH_REASON_MAKE || about->reason == TH_REASON_REMEMBERED))
    try_it (&inquiry);
  about->good = is_good (about);
  th_far_clear (&inquiry.far);
  th_job_clear (&inquiry.job);
  g_clear_error (&inquiry.silence);
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
  g_ptr_array_unref (about->specialists);
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
  if (th_pool_probe (engine->pool, TH_FOREGROUND, NULL, &greeting, &trouble) != TH_STATUS_OK)
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
