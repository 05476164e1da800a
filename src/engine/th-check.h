/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cheap verdict on one URI: nothing is opened but the cached thumbnail's head. */
#pragma once

#include "cache/th-cache.h"
#include "engine/th-mime.h"
#include "engine/th-scheduler.h"

typedef enum
{
  TH_CHECK_VALID, /* the cached thumbnail shows the file as it is */
  TH_CHECK_MAKE,  /* to be generated */
  TH_CHECK_ERROR,
} ThVerdict;

typedef struct
{
  ThVerdict verdict;
  ThFileKey key; /* unless an error */
  ThError code;  /* of an error */
  char *message; /* of an error; the caller frees */
} ThCheck;

/* What the verdicts of one pass share. */
typedef struct
{
  const ThCache *cache;
  ThMime *mime;
  /* Remembered from one URI to the next; NULL and FALSE to begin with. */
  const char *last_type; /* by address: equal types of a request are one string */
  gboolean last_tried;
  gboolean asked_writable;
  GError *unwritable;
} ThChecker;

void th_check (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
               ThCheck *check);
void th_checker_clear (ThChecker *checker);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThChecker, th_checker_clear)
