/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What thimble-external and whoever started it agree on: descriptors, arguments, and the one
 * message at the end. Knows neither of the two. */
#pragma once

#include <stdint.h>

/* The output's bytes, and the report. Neither reaches the program. */
#define TH_EXTERNAL_OUTPUT_FD 3
#define TH_EXTERNAL_REPORT_FD 4

/* Arguments before the program and its own; numbers in decimal. */
typedef enum
{
  TH_EXTERNAL_ARG_SELF,
  TH_EXTERNAL_ARG_BARE,       /* 1: there is no namespace that ends with us */
  TH_EXTERNAL_ARG_MEMORY,     /* bytes of one process */
  TH_EXTERNAL_ARG_FILE_BYTES, /* of any file that is written, the output too */
  TH_EXTERNAL_ARG_PROCESSES,  /* threads count; 0: no limit */
  TH_EXTERNAL_ARG_CPU_S,
  TH_EXTERNAL_ARG_DEVICE, /* the source is this file, or nothing is run; both 0: any */
  TH_EXTERNAL_ARG_INODE,
  TH_EXTERNAL_ARG_SOURCE,
  TH_EXTERNAL_ARG_OUTPUT,
  TH_EXTERNAL_ARG_PROGRAM,
} ThExternalArgument;

typedef enum
{
  TH_EXTERNAL_SILENT,       /* no report: ended before it could say anything */
  TH_EXTERNAL_DONE,         /* exited with 0, and the output was copied */
  TH_EXTERNAL_EXITED,       /* value: another exit status */
  TH_EXTERNAL_SIGNALLED,    /* value: the signal */
  TH_EXTERNAL_NOT_RUN,      /* value: errno of exec */
  TH_EXTERNAL_WRONG_SOURCE, /* another file lies there by now */
  TH_EXTERNAL_NO_OUTPUT,    /* value: errno */
  TH_EXTERNAL_BAD_OUTPUT,   /* no regular file */
  TH_EXTERNAL_LARGE_OUTPUT, /* beyond TH_EXTERNAL_ARG_FILE_BYTES */
  TH_EXTERNAL_SETUP_FAILED, /* value: errno of what had to be done before */
  /* The rest is never reported, only found by whoever waits. */
  TH_EXTERNAL_TIMEOUT,
  TH_EXTERNAL_CANCELLED,
  TH_EXTERNAL_NO_SANDBOX,
  TH_EXTERNAL_N_ENDS
} ThExternalEnd;

typedef struct
{
  int32_t end;
  int32_t value;
} ThExternalReport;
