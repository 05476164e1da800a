/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outcomes and error numbers. ThStatus is what a decode ended in; ThError is what goes over the
 * bus. */
#pragma once

#include <glib.h>

/* Numbers of the D-Bus signal Error. They are fixed: clients compare them. */
typedef enum
{
  TH_ERROR_UNSUPPORTED = 0,        /* no handler for this scheme and type */
  TH_ERROR_CONNECTION = 1,         /* a specialised thumbnailer did not answer */
  TH_ERROR_INVALID_FORMAT = 2,     /* the data are not a picture, or a broken one */
  TH_ERROR_IS_THUMBNAIL = 3,       /* the source lies in a thumbnail repository */
  TH_ERROR_SAVE_FAILED = 4,        /* decoded, but the cache could not be written */
  TH_ERROR_UNSUPPORTED_FLAVOR = 5, /* not one of GetFlavors */
  TH_ERROR_NO_CONTENT = 6,         /* nothing to show */
  TH_ERROR_SHUTTING_DOWN = 7,
  TH_ERROR_OTHER = 8, /* anything else: files that are missing, too large, too slow */
} ThError;

#define TH_ERROR (th_error_quark ())
GQuark th_error_quark (void);

/* How opening or decoding one picture ended. The values go over the wire: append only. */
typedef enum
{
  TH_STATUS_OK = 0,
  TH_STATUS_PARTIAL = 1,  /* truncated or dirty, but some pixels were delivered: shown like OK */
  TH_STATUS_STOPPED = 2,  /* the sink asked to stop; the sink knows why */
  TH_STATUS_NOT_MINE = 3, /* no codec knows these data */
  TH_STATUS_CORRUPT = 4,
  TH_STATUS_TOO_LARGE = 5,  /* beyond a limit of ThLimits */
  TH_STATUS_IO = 6,         /* reading the source failed */
  TH_STATUS_NO_MEMORY = 7,  /* the grant did not suffice */
  TH_STATUS_NO_CONTENT = 8, /* well-formed, but holds no picture */
  /* The rest is never said by a codec, only by the side that watches it. */
  TH_STATUS_CRASHED = 9,
  TH_STATUS_TIMEOUT = 10,
  TH_STATUS_PROTOCOL = 11,   /* the worker lied or broke the framing */
  TH_STATUS_NO_SANDBOX = 12, /* the lock-down cannot be entered here */
  TH_STATUS_CANCELLED = 13,
  TH_N_STATUSES
} ThStatus;

/* A stable lower-case word ("too-large") for logs and machine-readable output. */
const char *th_status_name (ThStatus status);
/* TRUE for OK and PARTIAL: there are pixels to keep. */
gboolean th_status_has_pixels (ThStatus status);
/* The bus number that a status without pixels is reported as. */
ThError th_status_to_error (ThStatus status);
/* A sentence without full stop for people, for use where the codec gave no message. */
const char *th_status_describe (ThStatus status);
