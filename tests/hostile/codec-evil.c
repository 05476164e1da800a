/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A decoder that an attacker has taken over: the file says what it does. "EVIL WORD PID\n", where
 * PID is the process that watches over it. Any word that is none of its tricks is a picture of 16 ×
 * 16 pixels. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/th-codec.h"
#include "hostile/evil-deeds.h"
#include "hostile/evil-lies.h"

/* The build may say another one. */
#ifndef EVIL_NEEDS
#define EVIL_NEEDS TH_NEEDS_NOTHING
#endif

#define SIDE        16
#define BLOCK       (8u * 1024u * 1024u)
#define MOST_BLOCKS 128
#define ADDRESSES   ((gsize) 256 << 30)

typedef struct
{
  ThSession session;
  ThHeader header;
  char word[32];
} Evil;

/* Never woken. */
static void
sleep_for_ever (void)
{
  guint32 word = 0;

  for (;;)
    syscall (SYS_futex, &word, 0, word, NULL, NULL, 0);
}

static void
spin (void)
{
  for (volatile guint i = 0;; i++)
    continue;
}

static void
leave (void)
{
  _exit (0);
}

static void
crash (void)
{
  volatile int *volatile nowhere = NULL;

  *nowhere = 1;
}

static guint
descend (guint depth)
{
  volatile char frame[65536];
  guint below;

  frame[0] = 1;
  if (depth == 0)
    return 0;
  /* What is read depends on the call, or clang makes a loop of it. */
  below = descend (depth - 1);
  return below + (guint) frame[below % sizeof frame];
}

static void
overflow_stack (void)
{
  if (descend (100000) == 0)
    abort ();
}

typedef struct
{
  const char *word;
  void (*run) (void);
} Trick;

static void *
do_nothing (void *data)
{
  return data;
}

static void
start_thread (void)
{
  pthread_t thread;

  if (pthread_create (&thread, NULL, do_nothing, NULL) == 0)
    pthread_join (thread, NULL);
}

/* The C library sets up a signal with the first thread of a process. */
static gboolean
evil_prepare (GError **error)
{
  start_thread ();
  return TRUE;
}

static const Trick tricks[] = {
  { "thread", start_thread },  { "sleep", sleep_for_ever }, { "spin", spin },
  { "abort", abort },          { "leave", leave },          { "crash", crash },
  { "stack", overflow_stack },
};

static gboolean
run_deed (const char *word, pid_t victim)
{
  for (const EvilDeed *deed = evil_deeds; deed->name != NULL; deed++)
    if (strcmp (deed->name, word) == 0)
      return !deed->run (victim);
  return FALSE;
}

static void
run_trick (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tricks); i++)
    if (strcmp (tricks[i].word, word) == 0)
      tricks[i].run ();
}

static ThStatus
evil_open (ThInput *input, const ThLimits *limits, ThSession **session, GError **error)
{
  char text[64] = { 0 };
  char word[32] = { 0 };
  gsize length;
  Evil *evil;
  char *end;

  (void) th_input_read (input, 5, text, sizeof text - 1);
  length = strcspn (text, " ") + 1;
  g_strlcpy (word, text, MIN (sizeof word, length));
  end = strchr (text, ' ');
  run_trick (word);
  (void) evil_lie (word);
  if (run_deed (word, end != NULL ? (pid_t) strtol (end, NULL, 10) : 0))
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "refused, but alive");
      return TH_STATUS_NOT_MINE;
    }
  evil = g_new0 (Evil, 1);
  evil->header = (ThHeader){
    .size = { SIDE, SIDE },
    .orientation = 1,
    .pages = 1,
    .frames = 1,
    .mime_type = "image/x-evil",
  };
  g_strlcpy (evil->word, word, sizeof evil->word);
  *session = &evil->session;
  return TH_STATUS_OK;
}

static const ThHeader *
evil_header (const ThSession *session)
{
  return &((const Evil *) session)->header;
}

static gboolean
evil_plan (ThSession *session, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  *plan = (ThPlan){ .raster = { .width = SIDE,
                                .height = SIDE,
                                .exact_width = SIDE,
                                .exact_height = SIDE,
                                .color = TH_COLOR_RGB,
                                .bits = 8 },
                    .peak_bytes = BLOCK };
  return TRUE;
}

/* Takes memory until there is no more, or more than was granted. */
static ThStatus
devour (GError **error)
{
  for (guint i = 0; i < MOST_BLOCKS; i++)
    {
      guint8 *block = g_try_malloc (BLOCK);

      if (block == NULL)
        {
          g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "%u blocks", i);
          return TH_STATUS_NO_MEMORY;
        }
      memset (block, 1, BLOCK);
    }
  return TH_STATUS_OK;
}

/* Memory that is only read takes none but for its page tables. */
static gboolean
takes_addresses (void)
{
  return mmap (NULL, ADDRESSES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
         != MAP_FAILED;
}

static ThStatus
evil_decode (ThSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  guint8 rows[SIDE * SIDE * 3];
  const char *word = ((Evil *) session)->word;

  if (strcmp (word, "devour") == 0 && devour (error) != TH_STATUS_OK)
    return TH_STATUS_NO_MEMORY;
  if (strcmp (word, "addresses") == 0 && !takes_addresses ())
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "no addresses");
      return TH_STATUS_NO_MEMORY;
    }
  if (strcmp (word, "late-spin") == 0)
    spin ();
  memset (rows, 200, sizeof rows);
  return sink->rows (sink, rows, SIDE * 3, SIDE) ? TH_STATUS_OK : TH_STATUS_STOPPED;
}

static void
evil_close (ThSession *session)
{
  g_free (session);
}

static const char *const mime_types[] = { "image/x-evil", NULL };
static const ThMagic magic[] = { { 0, 5, "EVIL ", NULL }, { 0, 0, NULL, NULL } };
static const ThCodec codec = {
  .abi = TH_CODEC_ABI,
  .name = "evil",
  .mime_types = mime_types,
  .magic = magic,
  .needs = EVIL_NEEDS,
  .prepare = evil_prepare,
  .open = evil_open,
  .header = evil_header,
  .plan = evil_plan,
  .decode = evil_decode,
  .close = evil_close,
};

const ThCodec *const th_codecs[] = { &codec, NULL };
