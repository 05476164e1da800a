/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-check.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-apart.h"
#include "engine/th-message.h"
#include "engine/th-partial.h"
#include "engine/th-privacy.h"

typedef struct
{
  ThChecker *checker;
  const char *uri;
  const char *mime_type;
  ThFlavor flavor;
  const ThFacts *facts; /* of a file apart; NULL: it is to be looked at here */
  gboolean cloud;
  gboolean special; /* a specialised thumbnailer serves it; once asked */
  gboolean asked_special;
  char *apart;
  char *path;
  ThMount *mount;  /* NULL: not asked for, or there is none */
  char *real_path; /* NULL: path itself, or it has not been asked for */
  ThStamp stamp;
  struct stat st;
} Look;

/* Whether a specialised thumbnailer that can be reached serves such a file; asked once a file. */
static gboolean
is_special (Look *look)
{
  const ThCheckTools *tools = look->checker->tools;
  g_autofree char *scheme = NULL;

  if (look->asked_special || look->checker->without_specialists
      || tools->specialist_caller.call == NULL)
    return look->special;
  scheme = g_uri_parse_scheme (look->uri);
  look->special =
      scheme != NULL && th_specialists_serve (tools->specialists, scheme, look->mime_type);
  look->asked_special = TRUE;
  return look->special;
}

/* Schemes that nobody here knows are for specialised thumbnailers alone. */
static gboolean
is_theirs_alone (Look *look)
{
  return g_ascii_strncasecmp (look->uri, "file:", strlen ("file:")) != 0 && is_special (look)
         && th_uri_is_recordable (look->uri);
}

/* What is not of this machine keeps its URI for a path, as far as rules go. */
static gboolean
find_path (Look *look, GError **error)
{
  g_autoptr (GError) local = NULL;

  look->path = th_uri_to_path (look->uri, &local);
  if (look->path == NULL && look->checker->tools->mounts != NULL)
    look->apart = th_apart_of_uri (look->uri);
  if (look->path == NULL && look->apart == NULL && is_theirs_alone (look))
    look->apart = g_strdup (look->uri);
  if (look->apart != NULL)
    look->path = g_strdup (look->uri);
  if (look->path != NULL)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s", local->message);
  return FALSE;
}

/* What lies apart is only asked about here. */
static gboolean
is_no_secret (Look *look, GError **error)
{
  const ThCheckTools *tools = look->checker->tools;
  g_autofree char *why = NULL;

  if (tools->mounts == NULL || look->facts != NULL || look->apart != NULL)
    return TRUE;
  look->mount = th_mounts_resolve (tools->mounts, look->path, &look->real_path);
  if (!tools->keep_encrypted)
    why = th_privacy_forbid (tools->mounts, look->mount, tools->cache);
  if (why == NULL)
    return TRUE;
  g_set_error_literal (error, TH_ERROR, TH_ERROR_UNSUPPORTED, why);
  return FALSE;
}

/* FALSE: it is not to be touched. */
static gboolean
find_mount (Look *look, GError **error)
{
  if (look->mount != NULL)
    look->apart = th_apart_of_mount (look->mount);
  return look->facts != NULL || look->apart == NULL;
}

static gboolean
find_file (Look *look, GError **error)
{
  if (look->facts != NULL)
    {
      look->stamp = look->facts->stamp;
      look->st = look->facts->st;
      look->real_path = g_strdup (look->facts->path != NULL ? look->facts->path : look->path);
      return TRUE;
    }
  return th_stamp_for_lookup (look->path, &look->stamp, &look->st, error);
}

static gboolean
is_regular (Look *look, GError **error)
{
  if (S_ISREG (look->st.st_mode))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED,
               S_ISDIR (look->st.st_mode) ? "folders have no thumbnail"
                                          : "only regular files have a thumbnail");
  return FALSE;
}

static gboolean
is_no_thumbnail (Look *look, GError **error)
{
  const ThCache *cache = look->checker->tools->cache;
  gboolean spelled_so = look->facts == NULL && th_cache_contains (cache, look->path);

  if (!spelled_so && (look->real_path == NULL || !th_cache_contains (cache, look->real_path)))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_IS_THUMBNAIL, "the file is a thumbnail itself");
  return FALSE;
}

static const char *
codec_of (Look *look)
{
  ThChecker *checker = look->checker;

  if (checker->last_type != look->mime_type)
    {
      checker->last_codec = th_mime_codec (checker->tools->mime, look->mime_type);
      checker->last_type = look->mime_type;
      g_clear_pointer (&checker->last_handler, g_free);
    }
  return checker->last_codec;
}

static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

static gboolean
is_allowed (Look *look, ThRulesScope scope, GError **error)
{
  const ThRules *rules = look->checker->tools->rules;
  const char *codec;
  g_autofree char *why = NULL;

  if (th_rules_are_empty (rules))
    return TRUE;
  if (look->real_path == NULL)
    look->real_path =
        look->checker->tools->mounts != NULL ? g_strdup (look->path) : resolve (look->path);
  codec = codec_of (look);
  why = th_rules_forbid (rules,
                         &(ThRulesFile){
                             .path = look->path,
                             .real_path = look->real_path,
                             .size = look->stamp.size,
                             .codec = codec != NULL ? codec : "",
                         },
                         scope);
  if (why == NULL)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "a rule forbids it: %s", why);
  return FALSE;
}

static gboolean
is_included (Look *look, GError **error)
{
  return is_allowed (look, TH_RULES_PLACE, error);
}

static gboolean
obeys_rules (Look *look, GError **error)
{
  return is_allowed (look, TH_RULES_ALL, error);
}

/* A thumbnail is not for those who may not see the picture. */
static gboolean
is_readable (Look *look, GError **error)
{
  int code;

  if (look->facts != NULL && !look->facts->readable)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "it cannot be read");
      return FALSE;
    }
  if (look->facts != NULL)
    return TRUE;
  if (faccessat (AT_FDCWD, look->path, R_OK, AT_EACCESS) == 0)
    return TRUE;
  code = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s", g_strerror (code));
  return FALSE;
}

static gboolean
is_named_complete (Look *look, GError **error)
{
  const char *slash = strrchr (look->path, '/');
  const char *name = slash != NULL ? slash + 1 : look->path;
  g_autofree char *shown = NULL;

  if (th_partial_writer (name) == NULL)
    return TRUE;
  shown = g_filename_display_name (name);
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER,
               "the name “%s” is that of a file that is still being downloaded (as of %s)", shown,
               th_partial_writer (name));
  return FALSE;
}

static gboolean
is_tried (Look *look, GError **error)
{
  if (codec_of (look) != NULL || is_special (look))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "no thumbnailer for the type “%s”",
               look->mime_type);
  return FALSE;
}

/* The store's own small picture costs nothing. */
static gboolean
is_at_hand (Look *look, GError **error)
{
  if (!look->cloud || look->checker->tools->fetch_cloud || look->facts->has_preview)
    return TRUE;
  g_set_error_literal (error, TH_ERROR, TH_ERROR_UNSUPPORTED,
                       "a file of a cloud store is not fetched for its thumbnail");
  return FALSE;
}

/* By its type a file is for the built-in decoders, for a module or for others' programs. */
static ThFailState
recall_failure (Look *look, ThFailure *failure)
{
  ThChecker *checker = look->checker;
  const ThCheckTools *tools = checker->tools;
  ThFailBasis basis = tools->basis;
  const char *codec;

  codec = codec_of (look);
  if (checker->last_handler == NULL)
    checker->last_handler = g_strcmp0 (codec, TH_MIME_EXTERNAL) == 0
                                ? th_check_programs (tools->entries, look->mime_type)
                                : th_check_handler_for (tools, look->mime_type);
  if (checker->last_handler != NULL)
    basis.handler = checker->last_handler;
  return th_fail_lookup (tools->cache, look->uri, &look->stamp, &basis, failure);
}

/* A specialised thumbnailer may know what they do not. */
static gboolean
is_worth_a_try (Look *look, GError **error)
{
  g_auto (ThFailure) failure = { 0 };
  ThFailState state;

  if (is_special (look))
    return TRUE;
  state = recall_failure (look, &failure);
  if (state != TH_FAIL_VALID || !th_failure_forbids (&failure, th_flavor_box (look->flavor)))
    return TRUE;
  g_set_error (error, TH_ERROR, (int) th_status_to_error (failure.cause),
               "%s (remembered from an earlier try)", failure.message);
  return FALSE;
}

/* Asked once a pass: it looks at the same folder each time. */
static gboolean
is_writable (Look *look, GError **error)
{
  ThChecker *checker = look->checker;

  if (!checker->asked_writable)
    {
      th_cache_check_writable (checker->tools->cache, &checker->unwritable);
      checker->asked_writable = TRUE;
    }
  if (checker->unwritable == NULL)
    return TRUE;
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED, checker->unwritable->message);
  return FALSE;
}

typedef struct
{
  gboolean (*ask) (Look *look, GError **error);
  ThReason reason; /* of a no */
} Question;

static const Question before_cache[] = {
  { find_path, TH_REASON_NOT_LOCAL },    { is_no_secret, TH_REASON_SECRET },
  { find_mount, TH_REASON_APART },       { find_file, TH_REASON_MISSING },
  { is_regular, TH_REASON_NOT_REGULAR }, { is_no_thumbnail, TH_REASON_IS_THUMBNAIL },
  { is_included, TH_REASON_EXCLUDED },   { is_readable, TH_REASON_UNREADABLE },
};

static const Question before_work[] = {
  { is_named_complete, TH_REASON_PARTIAL }, { is_tried, TH_REASON_NO_TYPE },
  { obeys_rules, TH_REASON_RULE },          { is_at_hand, TH_REASON_CLOUD },
  { is_worth_a_try, TH_REASON_REMEMBERED }, { is_writable, TH_REASON_UNWRITABLE },
};

/* Of what a specialised thumbnailer gets that was not looked at: all that its name alone tells. */
static const Question before_specialists[] = {
  { is_no_thumbnail, TH_REASON_IS_THUMBNAIL },
  { is_included, TH_REASON_EXCLUDED },
  { is_named_complete, TH_REASON_PARTIAL },
  { obeys_rules, TH_REASON_RULE },
};

static gboolean
ask (const Question *questions, gsize n, Look *look, ThReason *reason, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      *reason = questions[i].reason;
      if (!questions[i].ask (look, error))
        return FALSE;
    }
  return TRUE;
}

/* TH_REASON_APART stays where nothing speaks against it. */
static ThVerdict
judge_apart (Look *look, ThReason *reason, GError **error)
{
  ThReason why;

  if (!is_special (look)
      || ask (before_specialists, G_N_ELEMENTS (before_specialists), look, &why, error))
    return TH_CHECK_MAKE;
  *reason = why;
  return TH_CHECK_ERROR;
}

static ThVerdict
judge (Look *look, ThReason *reason, GError **error)
{
  const ThCache *cache = look->checker->tools->cache;

  if (!ask (before_cache, G_N_ELEMENTS (before_cache), look, reason, error))
    return *reason == TH_REASON_APART ? judge_apart (look, reason, error) : TH_CHECK_ERROR;
  *reason = TH_REASON_VALID;
  if (th_cache_lookup (cache, look->uri, look->flavor, &look->stamp) == TH_CACHE_VALID)
    return TH_CHECK_VALID;
  if (!ask (before_work, G_N_ELEMENTS (before_work), look, reason, error))
    return TH_CHECK_ERROR;
  *reason = TH_REASON_MAKE;
  return TH_CHECK_MAKE;
}

/* Where it has not been looked at: which URI it is. Others of the same number are told apart when
 * their turn comes. */
static void
fill_key (const Look *look, ThFileKey *key)
{
  if (look->apart != NULL && look->facts == NULL)
    *key = th_apart_key (look->uri);
  else
    *key = (ThFileKey){
      .device = look->st.st_dev,
      .inode = look->st.st_ino,
      .size = look->stamp.size,
      .mtime = look->stamp.mtime,
      .mtime_ns = look->stamp.mtime_ns,
    };
}

static void
check_look (Look *look, ThCheck *check)
{
  g_autoptr (GError) error = NULL;

  *check = (ThCheck){ 0 };
  check->verdict = judge (look, &check->reason, &error);
  if (check->verdict == TH_CHECK_ERROR)
    {
      check->code = th_message_code (error);
      check->message = th_message_text (look->uri, error);
    }
  else
    fill_key (look, &check->key);
  /* Specialised ones are asked before anything far is looked at. */
  if (check->verdict == TH_CHECK_MAKE && is_special (look))
    check->lane = TH_LANE_SPECIALISTS;
  else if (check->reason == TH_REASON_APART)
    check->apart = g_steal_pointer (&look->apart);
  else if (check->verdict == TH_CHECK_MAKE && g_str_equal (codec_of (look), TH_MIME_EXTERNAL))
    check->lane = TH_LANE_PROGRAMS;
  g_clear_pointer (&look->mount, th_mount_unref);
  g_free (look->apart);
  g_free (look->path);
  g_free (look->real_path);
}

void
th_check (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
          ThCheck *check)
{
  Look look = { .checker = checker, .uri = uri, .mime_type = mime_type, .flavor = flavor };

  check_look (&look, check);
}

void
th_check_facts (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
                const ThFacts *facts, gboolean cloud, ThCheck *check)
{
  Look look = { .checker = checker,
                .uri = uri,
                .mime_type = mime_type,
                .flavor = flavor,
                .facts = facts,
                .cloud = cloud };

  check_look (&look, check);
}

void
th_check_clear (ThCheck *check)
{
  g_clear_pointer (&check->apart, g_free);
  g_clear_pointer (&check->message, g_free);
}

void
th_checker_clear (ThChecker *checker)
{
  g_clear_error (&checker->unwritable);
  g_clear_pointer (&checker->last_handler, g_free);
}

char *
th_check_codec (const ThRules *rules, const char *path, const char *real_path, guint64 size,
                const char *codec)
{
  g_autofree char *found = NULL;
  ThRulesFile file = { .path = path, .real_path = real_path, .size = size, .codec = codec };

  if (th_rules_are_empty (rules))
    return NULL;
  if (real_path == NULL)
    file.real_path = found = resolve (path);
  return th_rules_forbid (rules, &file, TH_RULES_ALL);
}
