/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-fail.h"
#include "cache/th-sweep-entry.h"
#include "cache/th-sweep-state.h"

#define MIB      (1024u * 1024u)
#define ROOT     "." /* as a place: of the walk itself there may be temporaries */
#define FAILURES "fail"
/* A handful of programs keep failures; a thousand folders were made by somebody to be in the way.
 */
#define MAX_FAILURE_FOLDERS 256u
/* What is at most done once more after a kill, besides a step; keeping the state is a write. */
#define SAVE_EVERY 2000u

typedef struct
{
  const ThCache *cache;
  const ThSweepOptions *options;
  ThSweepTally *tally;
  GPtrArray *places; /* of names within the root, in their order */
  int root;
  ThSweepState state;
  guint unsaved; /* entries */
} Sweep;

/* One part of one folder. */
typedef struct
{
  Sweep *sweep;
  const char *place;
  ThSweepJudge judge;
  gboolean only_temporaries;
  ThSweepSum left;
  ThSweepAges ages;
  ThSweepCut cut;
} Step;

const char *
th_sweep_verdict_name (ThSweepVerdict verdict)
{
  static const char *const names[] = {
    "kept", "temporary", "outdated", "damaged", "orphan", "unused", "excess",
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == TH_SWEEP_N_VERDICTS);
  return names[verdict];
}

void
th_sweep_budget_init (ThSweepBudget *budget)
{
  budget->max_bytes = (guint64) 1024 * MIB;
  budget->max_age = 180;
}

static int
open_folder_at (int parent, const char *name)
{
  int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;

  if (fd < 0)
    return -1;
  if (fstat (fd, &st) == 0 && st.st_uid == geteuid ())
    return fd;
  close (fd);
  return -1;
}

/* No symlink on the way. */
static int
open_place (int root, const char *place)
{
  const char *slash = strchr (place, '/');
  int parent, fd;

  if (!slash)
    return open_folder_at (root, place);
  parent = open_folder_at (root, FAILURES);
  fd = parent >= 0 ? open_folder_at (parent, slash + 1) : -1;
  if (parent >= 0)
    close (parent);
  return fd;
}

static DIR *
open_dir (int root, const char *place)
{
  int fd = open_place (root, place);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;

  if (!dir && fd >= 0)
    close (fd);
  return dir;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
list_failures (int root)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  DIR *dir = open_dir (root, FAILURES);
  struct dirent *entry;

  while (dir && names->len < MAX_FAILURE_FOLDERS && (entry = readdir (dir)) != NULL)
    {
      if (entry->d_name[0] != '.' && th_sweep_state_can_hold (FAILURES "/", entry->d_name))
        g_ptr_array_add (names, g_strconcat (FAILURES "/", entry->d_name, NULL));
    }
  if (dir)
    closedir (dir);
  g_ptr_array_sort (names, compare_names);
  return names;
}

static GPtrArray *
list_places (int root)
{
  GPtrArray *places = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *failures = list_failures (root);

  g_ptr_array_add (places, g_strdup (ROOT));
  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    g_ptr_array_add (places, g_strdup (th_flavor_name (flavor)));
  g_ptr_array_extend_and_steal (places, failures);
  return places;
}

/* A folder of failures that is gone by now: the one behind it. */
static guint
find_place (const Sweep *sweep)
{
  guint i;

  for (i = 0; i < sweep->places->len; i++)
    if (strcmp (sweep->places->pdata[i], sweep->state.place) == 0)
      return i;
  for (i = 1 + TH_N_FLAVORS; i < sweep->places->len; i++)
    if (strcmp (sweep->places->pdata[i], sweep->state.place) > 0)
      break;
  return i;
}

static guint
part_of (const char *name)
{
  int digit = g_ascii_xdigit_value (name[0]);

  return digit >= 0 ? (guint) digit : 0;
}

static void
tell (const Step *step, const char *name, const ThSweepEntry *entry)
{
  const ThSweepOptions *options = step->sweep->options;
  g_autofree char *path = NULL;
  ThSwept swept = { .uri = th_sweep_entry_uri (entry),
                    .bytes = entry->bytes,
                    .verdict = entry->verdict };

  if (!options->removed)
    return;
  path = g_build_filename (th_cache_root (step->sweep->cache),
                           strcmp (step->place, ROOT) != 0 ? step->place : "", name, NULL);
  swept.path = path;
  options->removed (&swept, options->data);
}

/* FALSE: it is still there. */
static gboolean
remove_entry (Step *step, const char *name, const ThSweepEntry *entry)
{
  ThSweepTally *tally = step->sweep->tally;
  ThSweepRemoval removal = TH_SWEEP_REMOVED;

  if (!step->sweep->options->dry_run)
    removal = th_sweep_entry_remove (step->judge.folder, name, entry);
  tally->failed += removal == TH_SWEEP_REFUSED;
  if (removal != TH_SWEEP_REMOVED)
    return FALSE;
  tally->verdicts[entry->verdict].files++;
  tally->verdicts[entry->verdict].bytes += entry->bytes;
  tell (step, name, entry);
  return TRUE;
}

static void
survey (Step *step, const char *name)
{
  g_auto (ThSweepEntry) entry = { 0 };

  th_sweep_entry_judge (&step->judge, name, &entry);
  if (entry.kind == TH_STRAY_NONE || (step->only_temporaries && entry.kind != TH_STRAY_OWN))
    return;
  if (entry.verdict != TH_SWEEP_KEPT && remove_entry (step, name, &entry))
    return;
  step->left.files++;
  step->left.bytes += entry.bytes;
  if (entry.kind == TH_STRAY_ENTRY)
    step->ages.bytes[entry.rank] += entry.bytes;
}

/* What only the text tells is asked for only where it matters: who is nameless, and what the survey
 * would have removed. */
static void
look_again (Step *step, const char *name, ThSweepEntry *entry)
{
  const Sweep *sweep = step->sweep;

  if (sweep->state.ages.bytes[TH_SWEEP_NAMELESS] > 0 || sweep->options->dry_run
      || sweep->options->removed)
    th_sweep_entry_judge (&step->judge, name, entry);
  else
    th_sweep_entry_glance (&step->judge, name, entry);
}

static void
subtract (guint64 *from, guint64 value)
{
  *from -= MIN (*from, value);
}

static void
trim (Step *step, const char *name)
{
  g_auto (ThSweepEntry) entry = { 0 };
  gboolean at_cut;

  look_again (step, name, &entry);
  if (entry.kind != TH_STRAY_ENTRY || step->only_temporaries
      || (entry.verdict != TH_SWEEP_KEPT && step->sweep->options->dry_run))
    return;
  at_cut = entry.rank == step->cut.rank;
  if (entry.rank < step->cut.rank || (at_cut && step->cut.bytes == 0))
    return;
  entry.verdict = TH_SWEEP_EXCESS;
  if (!remove_entry (step, name, &entry))
    return;
  subtract (&step->sweep->state.left.files, 1);
  subtract (&step->sweep->state.left.bytes, entry.bytes);
  if (at_cut)
    subtract (&step->cut.bytes, entry.bytes);
}

static gboolean
is_stopped (const Sweep *sweep)
{
  return sweep->options->stop && g_atomic_int_get (sweep->options->stop);
}

/* FALSE: stopped. */
static gboolean
walk (Step *step, DIR *dir)
{
  Sweep *sweep = step->sweep;
  struct dirent *entry;

  while (!is_stopped (sweep))
    {
      entry = readdir (dir);
      if (!entry)
        return TRUE;
      if (entry->d_name[0] == '\0' || part_of (entry->d_name) != sweep->state.part)
        continue;
      if (sweep->state.pass == TH_SWEEP_SURVEY)
        survey (step, entry->d_name);
      else
        trim (step, entry->d_name);
      sweep->unsaved++;
    }
  return FALSE;
}

/* A step of the survey that is not complete does not count: it is done again. What was trimmed is
 * gone and counts at once. */
static void
commit (const Step *step, gboolean complete)
{
  ThSweepState *state = &step->sweep->state;

  state->cut.bytes = step->cut.bytes;
  if (!complete || state->pass != TH_SWEEP_SURVEY)
    return;
  state->left.files += step->left.files;
  state->left.bytes += step->left.bytes;
  for (guint rank = 0; rank < TH_SWEEP_RANKS; rank++)
    state->ages.bytes[rank] += step->ages.bytes[rank];
}

static gboolean
is_outdated (const char *place)
{
  return g_str_has_prefix (place, FAILURES "/" TH_FAIL_PREFIX)
         && strcmp (place, FAILURES "/" TH_FAIL_FOLDER) != 0;
}

/* Stays while anything else is in it. */
static void
remove_place (const Sweep *sweep, const char *place)
{
  int parent = open_folder_at (sweep->root, FAILURES);

  if (parent < 0)
    return;
  (void) !unlinkat (parent, strchr (place, '/') + 1, AT_REMOVEDIR);
  close (parent);
}

/* FALSE: stopped. */
static gboolean
run_step (Sweep *sweep, const char *place)
{
  Step step = {
    .sweep = sweep,
    .place = place,
    .judge = { .options = sweep->options,
               .now = sweep->state.begin,
               .outdated = is_outdated (place) },
    .only_temporaries = strcmp (place, ROOT) == 0,
    .cut = sweep->state.cut,
  };
  DIR *dir = open_dir (sweep->root, place);
  gboolean complete;

  if (!dir)
    return TRUE;
  step.judge.folder = dirfd (dir);
  complete = walk (&step, dir);
  closedir (dir);
  commit (&step, complete);
  if (complete && step.judge.outdated && sweep->state.part == TH_SWEEP_PARTS - 1
      && !sweep->options->dry_run)
    remove_place (sweep, place);
  return complete;
}

/* On a disk that is full there is all the more reason to go on. */
static void
save (Sweep *sweep)
{
  if (!sweep->options->dry_run)
    th_sweep_state_save (&sweep->state, sweep->root, NULL);
  sweep->unsaved = 0;
}

/* FALSE: stopped. */
static gboolean
run_pass (Sweep *sweep)
{
  for (guint i = find_place (sweep); i < sweep->places->len; i++)
    {
      g_strlcpy (sweep->state.place, sweep->places->pdata[i], sizeof sweep->state.place);
      for (; sweep->state.part < TH_SWEEP_PARTS; sweep->state.part++)
        {
          if (sweep->unsaved >= SAVE_EVERY)
            save (sweep);
          if (!run_step (sweep, sweep->places->pdata[i]))
            return FALSE;
        }
      sweep->state.part = 0;
    }
  return TRUE;
}

static void
begin_pass (Sweep *sweep, ThSweepPass pass)
{
  sweep->state.pass = pass;
  sweep->state.part = 0;
  g_strlcpy (sweep->state.place, ROOT, sizeof sweep->state.place);
}

/* FALSE: stopped. */
static gboolean
run (Sweep *sweep)
{
  ThSweepState *state = &sweep->state;

  if (state->pass == TH_SWEEP_SURVEY)
    {
      if (!run_pass (sweep))
        return FALSE;
      state->cut = th_sweep_ages_cut (&state->ages, state->budget.max_bytes);
      begin_pass (sweep, TH_SWEEP_TRIM);
      if (state->cut.rank < TH_SWEEP_RANKS)
        save (sweep);
    }
  return state->cut.rank == TH_SWEEP_RANKS || run_pass (sweep);
}

static ThSweepEnd
sweep_root (Sweep *sweep)
{
  const ThSweepBudget *budget = &sweep->options->budget;
  gint64 now = sweep->options->now != 0 ? sweep->options->now : time (NULL);
  ThSweepEnd end;

  if (sweep->options->dry_run)
    th_sweep_state_begin (&sweep->state, budget, now);
  else
    sweep->tally->resumed = th_sweep_state_load (&sweep->state, sweep->root, budget, now);
  if (sweep->state.place[0] == '\0')
    begin_pass (sweep, TH_SWEEP_SURVEY);
  sweep->places = list_places (sweep->root);
  end = run (sweep) ? TH_SWEEP_DONE : TH_SWEEP_STOPPED;
  sweep->tally->left = sweep->state.left;
  if (end == TH_SWEEP_STOPPED)
    save (sweep);
  else if (!sweep->options->dry_run)
    th_sweep_state_remove (sweep->root);
  g_ptr_array_unref (sweep->places);
  return end;
}

static ThSweepEnd
fail (GError **error, const char *path, const char *why)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "Could not clean “%s”: %s", shown, why);
  return TH_SWEEP_FAILED;
}

ThSweepEnd
th_sweep (const ThCache *cache, const ThSweepOptions *options, ThSweepTally *tally, GError **error)
{
  const char *path = th_cache_root (cache);
  Sweep sweep = { .cache = cache, .options = options, .tally = tally };
  ThSweepEnd end;

  *tally = (ThSweepTally){ 0 };
  if (!options->dry_run && !th_cache_check_writable (cache, error))
    return TH_SWEEP_FAILED;
  sweep.root = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (sweep.root < 0)
    return errno == ENOENT ? TH_SWEEP_DONE : fail (error, path, g_strerror (errno));
  /* Where the file system knows no locks of this kind two at once do no harm but for the order. */
  if (!options->dry_run && flock (sweep.root, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    end = TH_SWEEP_BUSY;
  else
    end = sweep_root (&sweep);
  close (sweep.root);
  return end;
}
