/* Messages between the ranks of a host. */
#ifndef GPU2ASCEND_MESSAGES_H
#define GPU2ASCEND_MESSAGES_H

#include "../emulated.h"

enum { LONGEST_NAME = 128, LONGEST_FOLDER = 1024, LATE = -2 };

/* What the ranks of a communicator share. */
typedef struct Mailbox {
    char name[LONGEST_NAME], folder[LONGEST_FOLDER];
    uint32_t rank, size;
} Mailbox;

/* What the ranks of a call must agree in. */
typedef struct Header {
    char name[32];
    uint32_t type, op, root;
    uint64_t count;
} Header;

/* "c" for a collective or "p" for a message to one rank, its number, and to which ranks it goes (but for the own
   one), or from which first one it comes. */
typedef struct Address {
    const char *kind;
    uint64_t number;
    uint32_t first, end;
} Address;

const char *message_root(void);
int join_mailbox(Mailbox *box);
void leave_mailbox(const Mailbox *box);
int post(const Mailbox *box, Address address, const Header *header, const void *data, size_t size);
int fetch(const Mailbox *box, Address address, const Header *header, void *data, size_t size, double seconds);

#endif
