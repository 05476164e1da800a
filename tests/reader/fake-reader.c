/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reader that behaves as TH_FAKE says; the table at the end has the words. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/th-reader-wire.h"
#include "wire/th-wrap.h"

static void
put (const void *data, gsize size, int fd)
{
  ThReaderMessage message;

  memcpy (&message, data, sizeof message);
  message.head.size = (guint32) size;
  th_reader_wire_send (TH_WIRE_FD, &message, fd, TRUE, NULL);
}

static void
hello (const char *build)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_HELLO, 0);
  th_wire_set_text (message.hello.build, sizeof message.hello.build, build);
  put (&message, message.head.size, -1);
}

/* A plausible answer. */
static ThReaderMessage
answer_to (const ThReaderMessage *request)
{
  ThReaderMessage message;

  if (request->head.type == TH_READER_LOOK || request->head.type == TH_READER_OPEN)
    {
      th_reader_wire_init (&message, TH_READER_FACTS, request->head.request);
      message.facts.st.st_mode = S_IFREG | 0600;
      message.facts.readable = 1;
    }
  else
    th_reader_wire_init (&message, TH_READER_VERDICT, request->head.request);
  return message;
}

static void
send_answer (const ThReaderMessage *message, int fd)
{
  put (message, message->head.size, fd);
  if (fd >= 0)
    close (fd);
}

static int
memory (unsigned int seals, gsize size)
{
  int fd = memfd_create ("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (ftruncate (fd, (off_t) size) != 0 || fcntl (fd, F_ADD_SEALS, seals) != 0)
    _exit (3);
  return fd;
}

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

static void
hang (const ThReaderMessage *request)
{
  for (;;)
    pause ();
}

static void
die (const ThReaderMessage *request)
{
  _exit (7);
}

static void
crash (const ThReaderMessage *request)
{
  signal (SIGABRT, SIG_DFL);
  abort ();
}

static void
short_message (const ThReaderMessage *request)
{
  put (request, 5, -1);
}

static void
wrong_size (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  put (&message, message.head.size - 1, -1);
}

static void
wrong_magic (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.head.magic++;
  send_answer (&message, -1);
}

static void
wrong_number (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.head.request++;
  send_answer (&message, -1);
}

static void
wrong_type (const ThReaderMessage *request)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_LIST, request->head.request);
  send_answer (&message, -1);
}

static void
unterminated (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  memset (message.facts.path, '/', sizeof message.facts.path);
  send_answer (&message, -1);
}

static void
relative (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  th_wire_set_text (message.facts.path, sizeof message.facts.path, "etc/passwd");
  send_answer (&message, -1);
}

static void
bad_nanoseconds (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.facts.st.st_mtim.tv_nsec = 1000000000;
  send_answer (&message, -1);
}

static void
negative_size (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.facts.st.st_size = -1;
  send_answer (&message, -1);
}

static void
bad_flag (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.facts.has_preview = 2;
  send_answer (&message, -1);
}

static void
unasked_fd (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  send_answer (&message, memory (SEALS, 1));
}

static void
bad_domain (const ThReaderMessage *request)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_FAILED, request->head.request);
  message.failed.domain = TH_READER_N_DOMAINS;
  send_answer (&message, -1);
}

static void
fail_with (const ThReaderMessage *request, ThReaderDomain domain, int code)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_FAILED, request->head.request);
  message.failed.domain = domain;
  message.failed.code = code;
  th_wire_set_text (message.failed.text, sizeof message.failed.text, "a\033[1m\xff\nb");
  send_answer (&message, -1);
}

/* GIO's codes are not known here; 19 is that of cancelling. */
static void
bad_code (const ThReaderMessage *request)
{
  fail_with (request, TH_READER_FILE_ERROR, -5);
}

static void
bad_io_code (const ThReaderMessage *request)
{
  fail_with (request, TH_READER_IO_ERROR, -5);
}

static void
cancelled (const ThReaderMessage *request)
{
  fail_with (request, TH_READER_IO_ERROR, 19);
}

/* Progress without end, as fast as it is taken. */
static void
chatter (const ThReaderMessage *request)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_PROGRESS, request->head.request);
  while (th_reader_wire_send (TH_WIRE_FD, &message, -1, TRUE, NULL))
    continue;
}

static void
open_nothing (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  send_answer (&message, -1);
}

static void
open_unsealed (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  send_answer (&message, memory (F_SEAL_GROW | F_SEAL_SHRINK, 1));
}

static void
open_large (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  send_answer (&message, memory (SEALS, request->open.max_bytes + 1));
}

static void
open_file (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  send_answer (&message, open ("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

static void
open_folder (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  message.facts.st.st_mode = S_IFDIR | 0700;
  send_answer (&message, memory (SEALS, 1));
}

static void
open_two (const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  put (&message, message.head.size, -1);
  put (&message, message.head.size, -1);
}

typedef struct
{
  const char *name;
  void (*look) (const ThReaderMessage *request); /* NULL: well */
  void (*open) (const ThReaderMessage *request);
} Mode;

static const Mode modes[] = {
  { "hang", hang, NULL },
  { "die", die, NULL },
  { "crash", crash, NULL },
  { "short", short_message, NULL },
  { "wrong-size", wrong_size, NULL },
  { "wrong-magic", wrong_magic, NULL },
  { "wrong-number", wrong_number, NULL },
  { "wrong-type", wrong_type, NULL },
  { "unterminated", unterminated, NULL },
  { "relative", relative, NULL },
  { "nanoseconds", bad_nanoseconds, NULL },
  { "negative", negative_size, NULL },
  { "flag", bad_flag, NULL },
  { "unasked", unasked_fd, NULL },
  { "domain", bad_domain, NULL },
  { "code", bad_code, NULL },
  { "io-code", bad_io_code, NULL },
  { "cancelled", cancelled, NULL },
  { "chatter", chatter, NULL },
  { "open-hang", NULL, hang },
  { "open-die", NULL, die },
  { "open-chatter", NULL, chatter },
  { "open-nothing", NULL, open_nothing },
  { "open-unsealed", NULL, open_unsealed },
  { "open-large", NULL, open_large },
  { "open-file", NULL, open_file },
  { "open-folder", NULL, open_folder },
  { "open-two", NULL, open_two },
  { "close-hang", NULL, NULL },
  { "good", NULL, NULL },
};

static const Mode *
find_mode (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (strcmp (modes[i].name, name) == 0)
      return &modes[i];
  _exit (4);
}

static void
serve (const Mode *mode, const ThReaderMessage *request)
{
  ThReaderMessage message = answer_to (request);

  if (request->head.type == TH_READER_LOOK && mode->look != NULL)
    mode->look (request);
  else if (request->head.type == TH_READER_OPEN && mode->open != NULL)
    mode->open (request);
  else if (request->head.type == TH_READER_CLOSE && strcmp (mode->name, "close-hang") == 0)
    hang (request);
  else
    send_answer (&message, request->head.type == TH_READER_OPEN ? memory (SEALS, 1) : -1);
}

int
main (void)
{
  const char *name = getenv ("TH_FAKE");
  ThReaderMessage message;

  if (strcmp (name, "deaf") == 0)
    return 0;
  if (strcmp (name, "mute") == 0)
    hang (NULL);
  hello (strcmp (name, "old") == 0 ? "0.0.1" : TH_VERSION);
  if (strcmp (name, "old") == 0)
    hang (NULL);
  while (th_reader_wire_receive (TH_WIRE_FD, &message, NULL) == TH_WIRE_GOT)
    serve (find_mode (name), &message);
  return 0;
}
