/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owning side of one job: JOB, PLAN, GRANT or DENY, DONE, with deadlines, believing nothing.
 * Shared by the pool and by thimble-thumbnailer. Knows no process management: whoever called kills.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "base/th-image.h"
#include "base/th-limits.h"
#include "wire/th-result.h"
#include "wire/th-wire.h"

/* Asked between PLAN and GRANT, with the most memory that the decode and its results will take.
 * Waits for it; OK, TOO_LARGE, CANCELLED or TIMEOUT. The time it takes is not charged to the
 * worker's deadline. */
typedef ThStatus (*ThAdmit) (guint64 bytes, gpointer data, GError **error);

typedef struct
{
  int socket;
  pid_t pid;         /* whose CPU time counts against limits->cpu_ms */
  guint64 data_base; /* what HELLO said: RLIMIT_DATA is this, plus the grant while there is one */
  guint32 job;       /* a number not used before on this socket */
  int source_fd;     /* read-only, a regular file, bare or wrapped (th-wrap); borrowed */
  const ThLimits *limits;
  const guint32 *boxes; /* pixels, largest first */
  guint n_boxes;
  ThResultRoom *room; /* the worker's, for the results of its jobs; NULL: memory for each job */
  guint64 allowance;  /* bytes that are admitted already: what takes no more, results included, is
                         decoded without asking. Needs a room that was used before; 0: none */
  ThAdmit admit;      /* may be NULL */
  gpointer admit_data;
} ThExchange;

/* What the file turned out to be, in private memory. */
typedef struct
{
  char codec[TH_WIRE_NAME_BYTES];
  char mime_type[TH_WIRE_MIME_BYTES];
  ThSize full;
  guint pages;
  guint frames;
  double duration;
  guint64 peak_bytes;
  guint n_images;
  ThImage images[TH_N_FLAVORS]; /* as the boxes; one block owns the pixels of all */
  guint8 *pixels;
} ThDecoded;

/* Runs one job. OK or PARTIAL: *decoded is filled, free it with th_decoded_clear. After CRASHED,
 * TIMEOUT and PROTOCOL the socket is useless and the process must be killed. error is set on all
 * but OK and PARTIAL. */
ThStatus th_exchange_run (const ThExchange *exchange, ThDecoded *decoded, GError **error);
/* Waits for HELLO, at most timeout_ms. OK, NO_SANDBOX, CRASHED, TIMEOUT or PROTOCOL (another build
 * too). */
ThStatus th_exchange_hello (int socket, guint timeout_ms, ThWireHello *hello, GError **error);
/* FALSE where the worker has said something unasked since its last job, or is gone: it is to be
 * replaced, and no file is to blame. To be asked before each job. */
gboolean th_exchange_is_idle (int socket);
void th_decoded_clear (ThDecoded *decoded);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThDecoded, th_decoded_clear)
