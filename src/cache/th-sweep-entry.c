/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-sweep-entry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-uri.h"

#define BLOCK 512u /* what st_blocks counts */
#define HOUR  3600
#define DAY   (24 * HOUR)

static gboolean
is_own_file (int folder, const char *name, struct stat *st)
{
  return fstatat (folder, name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st->st_mode)
         && st->st_uid == geteuid ();
}

static guint64
bytes_on_disk (const struct stat *st)
{
  guint64 blocks = (guint64) MAX (st->st_blocks, 0) * BLOCK;

  return blocks > 0 ? blocks : (guint64) MAX (st->st_size, 0);
}

/* A time to come, from when the clock was wrong, says nothing. */
static gint64
age_of (const struct stat *st, gint64 now)
{
  gint64 written = st->st_mtim.tv_sec <= now ? st->st_mtim.tv_sec : now;
  gint64 read = st->st_atim.tv_sec <= now ? st->st_atim.tv_sec : written;
  gint64 used = MAX (written, read);

  return used > G_MININT64 / 2 ? now - used : G_MAXINT64;
}

void
th_sweep_entry_glance (const ThSweepJudge *judge, const char *name, ThSweepEntry *entry)
{
  *entry = (ThSweepEntry){ .kind = th_stray_kind (name) };
  if (entry->kind == TH_STRAY_NONE)
    return;
  if (!is_own_file (judge->folder, name, &entry->st))
    {
      entry->kind = TH_STRAY_NONE;
      return;
    }
  entry->bytes = bytes_on_disk (&entry->st);
  entry->rank = th_sweep_rank (age_of (&entry->st, judge->now));
}

/* FALSE: it is no whole PNG; TRUE and no text: that cannot be told. */
static gboolean
read_text (const ThSweepJudge *judge, const char *name, ThPngText **text)
{
  g_autoptr (GError) error = NULL;
  int fd = openat (judge->folder, name,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOATIME);

  if (fd < 0)
    return TRUE;
  *text = th_png_text_read_fd (fd, &error);
  close (fd);
  return *text != NULL || !g_error_matches (error, TH_ERROR, TH_ERROR_INVALID_FORMAT);
}

const char *
th_sweep_entry_uri (const ThSweepEntry *entry)
{
  return entry->text ? th_png_text_get (entry->text, "Thumb::URI") : NULL;
}

/* Who looks for the thumbnail of this URI looks under this name, and believes what it says. */
static gboolean
can_be_found (const ThSweepEntry *entry, const char *name)
{
  const char *uri = th_sweep_entry_uri (entry);
  g_autofree char *md5 = uri ? th_uri_md5 (uri) : NULL;
  gint64 mtime;

  return md5 && g_str_has_prefix (name, md5) && th_cache_recorded_mtime (entry->text, &mtime);
}

static gboolean
is_gone (const ThSweepJudge *judge, const ThSweepEntry *entry)
{
  const ThSweepOptions *options = judge->options;
  const ThSweepSource source = { th_sweep_entry_uri (entry), entry->text,
                                 entry->st.st_mtim.tv_sec };

  return options->is_gone && source.uri && options->is_gone (&source, options->data);
}

/* What is written in place by others may be half written now. */
static gboolean
is_at_rest (const ThSweepJudge *judge, const ThSweepEntry *entry)
{
  return MAX (entry->st.st_mtim.tv_sec, entry->st.st_ctim.tv_sec) < judge->now - HOUR;
}

static ThSweepVerdict
judge_entry (const ThSweepJudge *judge, const char *name, ThSweepEntry *entry)
{
  gint64 max_age = (gint64) judge->options->budget.max_age * DAY;

  if (judge->outdated)
    return TH_SWEEP_OUTDATED;
  if (!read_text (judge, name, &entry->text))
    return is_at_rest (judge, entry) ? TH_SWEEP_DAMAGED : TH_SWEEP_KEPT;
  if (age_of (&entry->st, judge->now) > max_age)
    return TH_SWEEP_UNUSED;
  if (!entry->text)
    return TH_SWEEP_KEPT;
  if (!can_be_found (entry, name))
    entry->rank = TH_SWEEP_NAMELESS;
  else if (is_gone (judge, entry))
    return TH_SWEEP_ORPHAN;
  return TH_SWEEP_KEPT;
}

void
th_sweep_entry_judge (const ThSweepJudge *judge, const char *name, ThSweepEntry *entry)
{
  th_sweep_entry_glance (judge, name, entry);
  if (entry->kind == TH_STRAY_ENTRY)
    entry->verdict = judge_entry (judge, name, entry);
  else if (entry->kind != TH_STRAY_NONE
           && th_stray_is_abandoned (entry->kind, judge->folder, name, &entry->st, judge->now))
    entry->verdict = TH_SWEEP_TEMPORARY;
}

void
th_sweep_entry_clear (ThSweepEntry *entry)
{
  g_clear_pointer (&entry->text, th_png_text_free);
}

static gboolean
time_is_same (const struct timespec *a, const struct timespec *b)
{
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Who writes a thumbnail anew replaces it by another file, or changes this one. */
static gboolean
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size
         && time_is_same (&a->st_ctim, &b->st_ctim) && time_is_same (&a->st_mtim, &b->st_mtim);
}

ThSweepRemoval
th_sweep_entry_remove (int folder, const char *name, const ThSweepEntry *entry)
{
  struct stat now;

  if (!is_own_file (folder, name, &now) || !is_same (&now, &entry->st))
    return TH_SWEEP_CHANGED;
  if (unlinkat (folder, name, 0) == 0)
    return TH_SWEEP_REMOVED;
  return errno == ENOENT ? TH_SWEEP_CHANGED : TH_SWEEP_REFUSED;
}
