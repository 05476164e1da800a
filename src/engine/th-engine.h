/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests in, thumbnails in the cache, events out: everything between the bus and the workers.
 * Knows no D-Bus object and no image library. */
#pragma once

#include <gio/gio.h>

#include "base/th-error.h"
#include "base/th-flavor.h"
#include "base/th-limits.h"
#include "cache/th-sweep.h"
#include "engine/th-external-options.h"
#include "engine/th-readers.h"
#include "engine/th-rules.h"
#include "engine/th-specialist-call.h"

typedef enum
{
  TH_FOREGROUND, /* newest request first, without starving older ones; reported per file */
  TH_BACKGROUND, /* first come, first served, at idle priority; reported in batches */
  TH_N_CLASSES
} ThClass;

typedef struct
{
  char *cache_root;   /* NULL: $XDG_CACHE_HOME/thumbnails */
  char *worker_path;  /* NULL: th_paths_worker () */
  char *module_dir;   /* NULL: th_paths_modules () */
  char *manifest_dir; /* NULL: th_paths_manifests () */
  ThLimits limits;
  guint cores;            /* workers of each class; 0: th_effective_cores () */
  guint worker_files;     /* a worker is replaced after so many, default 256 */
  guint worker_idle_ms;   /* and after so long without one, default 30 000 */
  guint quiet_ms;         /* a file that did not change for so long is complete, default 1000 */
  guint hold_ms;          /* one that is not by then is an error, default 10 000 */
  guint max_queued;       /* URIs that are queued at a time, default 500 000 */
  gsize max_queued_bytes; /* and of their text, default 256 MiB; more is refused */
  guint max_orphaned;     /* URIs of th_engine_orphan, default 20 000 */
  guint specialist_ms;    /* patience with a specialised thumbnailer, default 20 000 */
  ThExternalOptions external;
  ThReadersOptions readers;
  gboolean fetch_cloud;    /* files of cloud stores are fetched for their thumbnails */
  gboolean keep_encrypted; /* thumbnails of encrypted folders are kept, in the clear */
  ThSweepBudget sweep;     /* of the cache; not the engine's business */
  ThRules *rules;          /* which files get none; NULL: all do */
  guint idle_seconds;  /* of the service, until it leaves; 0: never; not the engine's business */
  char *config_path;   /* what was read, for people; NULL: nothing */
  GPtrArray *problems; /* sentences about what makes no sense there, with file and line */
} ThEngineOptions;

void th_engine_options_init (ThEngineOptions *options);
void th_engine_options_clear (ThEngineOptions *options);
/* Reads thimble.conf (th-config.h) over the defaults; where there is none, the rules of tumbler.rc.
 * What makes no sense is reported in problems and the default kept. FALSE where not all lines of a
 * thimble.conf could be read; those that could count. */
gboolean th_engine_options_load (ThEngineOptions *options, GError **error);

typedef struct _ThEngine ThEngine;

/* Events, all from the main context that was the thread default of th_engine_new, in this order for
 * each request: started, then any number of ready and error, then finished; each once, and no event
 * after finished. Each URI of a request that was not dequeued is in exactly one ready or error, as
 * often as it was listed. */
typedef struct
{
  void (*started) (guint32 handle, gpointer data);
  void (*ready) (guint32 handle, const char *const *uris, gpointer data);
  void (*error) (guint32 handle, const char *const *uris, ThError code, const char *message,
                 gpointer data);
  void (*finished) (guint32 handle, gpointer data);
  /* Once, of no request: another version was installed meanwhile, which should take over. What is
   * queued is still worked on, by the decoder of this version where there is one left, else it ends
   * in TH_ERROR_SHUTTING_DOWN. NULL: nobody wants to know. */
  void (*outdated) (gpointer data);
} ThEngineEvents;

/* options are copied. Nothing is spawned or read yet but the manifests; NULL where those cannot be
 * read, or no thread can be started. */
ThEngine *th_engine_new (const ThEngineOptions *options, const ThEngineEvents *events,
                         gpointer data, GError **error);
/* Cancels what waits, kills the workers, sends no more events. */
void th_engine_free (ThEngine *engine);

/* Takes a request; no event is sent before this has returned and the main context runs. uris and
 * mime_types pair up; a flavor name that is not one, and an empty list, are answered through events
 * as the contract says. Returns the handle: 1 and up, never 0. */
guint32 th_engine_queue (ThEngine *engine, const char *const *uris, const char *const *mime_types,
                         guint n_uris, const char *flavor, ThClass klass);
/* The same for lists of type "as" that are taken apart only later, in another thread: as long as
 * that takes nobody waits. URIs beyond the end of mime_types are application/octet-stream. */
guint32 th_engine_queue_variants (ThEngine *engine, GVariant *uris, GVariant *mime_types,
                                  const char *flavor, ThClass klass);
/* URIs that are not finished get neither ready nor error; finished comes at once. What waits for
 * nobody else is dropped; a decode that runs goes on to its end, and its result is thrown away.
 * Unknown handles are ignored. */
void th_engine_dequeue (ThEngine *engine, guint32 handle);
/* Events wait from now on until this is called with FALSE: whoever takes them has enough. From the
 * main context, also from within an event. */
void th_engine_hold_events (ThEngine *engine, gboolean hold);
/* Nobody hears of this request any more, but its thumbnails are wanted: it is finished at
 * background priority. Where so many files are wanted like that already, it is dequeued. */
void th_engine_orphan (ThEngine *engine, guint32 handle);
/* The file system that is mounted there is about to be unmounted: all work on files of it, as they
 * are waited for now, is given up at once, with an error for each, and nothing of it is open any
 * more, now or very soon. What is queued later is served. */
void th_engine_leave (ThEngine *engine, const char *mount_point);
/* Requests whose finished has not been sent. */
guint th_engine_pending (const ThEngine *engine);

/* Called once, from the main context of the events; complete is FALSE where the engine was freed
 * first, then from within th_engine_free. */
typedef void (*ThEngineDone) (gboolean complete, gpointer data);

/* Files were moved, copied, deleted: the cache follows (cache/th-follow.h, cache/th-forget.h). One
 * operation after the other, in the order of the calls, in a thread of their own; done is called in
 * the same order, when what the cache shows is as it should be. The strings are copied. from[i] and
 * to[i] are a pair. */
void th_engine_cache_move (ThEngine *engine, const char *const *from, const char *const *to,
                           guint n, ThEngineDone done, gpointer data);
void th_engine_cache_copy (ThEngine *engine, const char *const *from, const char *const *to,
                           guint n, ThEngineDone done, gpointer data);
/* Exactly these URIs. */
void th_engine_cache_delete (ThEngine *engine, const char *const *uris, guint n, ThEngineDone done,
                             gpointer data);
/* The same, and had[i], which must live until done is called, becomes what there was
 * (cache/th-forget.h). */
void th_engine_cache_forget (ThEngine *engine, const char *const *uris, guint n, guint32 *had,
                             ThEngineDone done, gpointer data);
/* since 0: these URIs and all below them. Else of the same, or where there are none of everything,
 * what was made of files last modified at or before that second. */
void th_engine_cache_cleanup (ThEngine *engine, const char *const *base_uris, guint n,
                              guint32 since, ThEngineDone done, gpointer data);

/* How specialised thumbnailers are called; before anything is queued. Without it there are none. */
void th_engine_set_specialists (ThEngine *engine, const ThSpecialistCaller *caller);
/* Those that have registered come and go by this. */
ThSpecialists *th_engine_specialists (ThEngine *engine);

/* Parallel arrays, NULL-terminated, valid during the call: entry i says that scheme i together with
 * type i is tried. Both NULL where the engine was freed first. */
typedef void (*ThEngineSupported) (const char *const *schemes, const char *const *mime_types,
                                   gpointer data);
/* Found out in a thread of its own, told once, from the main context of the events. */
void th_engine_supported (ThEngine *engine, ThEngineSupported done, gpointer data);
/* Why nothing can be decoded here (the lock-down is impossible, no worker program), or NULL. */
char *th_engine_trouble (const ThEngine *engine);
/* Why no program of others could be run when that was tried last, or NULL. */
char *th_engine_external_trouble (const ThEngine *engine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThEngine, th_engine_free)
