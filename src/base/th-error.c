/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-error.h"

/* The formatter takes the name for a subtraction. */
/* clang-format off */
G_DEFINE_QUARK (th-error, th_error)
/* clang-format on */

typedef struct
{
  const char *name;
  const char *text;
  ThError error;
} StatusRow;

static const StatusRow rows[TH_N_STATUSES] = {
  [TH_STATUS_OK] = { "ok", "decoded", TH_ERROR_OTHER },
  [TH_STATUS_PARTIAL] = { "partial", "decoded in part", TH_ERROR_OTHER },
  [TH_STATUS_STOPPED] = { "stopped", "decoding was stopped", TH_ERROR_OTHER },
  [TH_STATUS_NOT_MINE] = { "unknown-format", "the data are in no known format",
                           TH_ERROR_INVALID_FORMAT },
  [TH_STATUS_CORRUPT] = { "corrupt", "the picture is damaged", TH_ERROR_INVALID_FORMAT },
  [TH_STATUS_TOO_LARGE] = { "too-large", "the picture is beyond a limit", TH_ERROR_OTHER },
  [TH_STATUS_IO] = { "io", "the file could not be read", TH_ERROR_OTHER },
  [TH_STATUS_NO_MEMORY] = { "no-memory", "decoding needed more memory than it had announced",
                            TH_ERROR_OTHER },
  [TH_STATUS_NO_CONTENT] = { "no-content", "the file holds no picture", TH_ERROR_NO_CONTENT },
  [TH_STATUS_CRASHED] = { "crashed", "the decoder crashed on this file", TH_ERROR_INVALID_FORMAT },
  [TH_STATUS_TIMEOUT] = { "timeout", "decoding took too long", TH_ERROR_OTHER },
  [TH_STATUS_PROTOCOL] = { "protocol", "the decoder gave a malformed answer",
                           TH_ERROR_INVALID_FORMAT },
  [TH_STATUS_NO_SANDBOX] = { "no-sandbox", "the decoder could not be locked down on this system",
                             TH_ERROR_OTHER },
  [TH_STATUS_CANCELLED] = { "cancelled", "cancelled", TH_ERROR_OTHER },
};

static const StatusRow *
row_of (ThStatus status)
{
  return &rows[(guint) status < TH_N_STATUSES ? status : TH_STATUS_PROTOCOL];
}

const char *
th_status_name (ThStatus status)
{
  return row_of (status)->name;
}

gboolean
th_status_has_pixels (ThStatus status)
{
  return status == TH_STATUS_OK || status == TH_STATUS_PARTIAL;
}

ThError
th_status_to_error (ThStatus status)
{
  return row_of (status)->error;
}

const char *
th_status_describe (ThStatus status)
{
  return row_of (status)->text;
}
