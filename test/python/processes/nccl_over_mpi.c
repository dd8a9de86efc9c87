// NCCL's functions that torch_np.distributed calls, for memory of the emulated device, over MPI: a
// library that test_distributed.py builds and opens in NCCL's place if there is no GPU. It tests
// that each function gets the arguments of its signature in nccl.h. It
// computes immediately on every stream.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct { char internal[128]; } ncclUniqueId;
enum { kQueue = 64 };
static struct { void* at; int bytes, peer, is_send; } queue[kQueue];
static int queued, grouped;

static MPI_Datatype type_of(int datatype) {
  MPI_Datatype types[] = {MPI_INT8_T, MPI_UINT8_T, MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, 0, MPI_FLOAT, MPI_DOUBLE, 0};
  return types[datatype];
}
static int bytes_of(int datatype) { return (int[]){1, 1, 4, 4, 8, 8, 2, 4, 8, 2}[datatype]; }
static MPI_Op operation_of(int op) { return (MPI_Op[]){MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_SUM}[op]; }

// The processor guards the emulated device's memory, but while a kernel runs.
static void copy(void* to, const void* from, size_t bytes, void* guarded) {
  uintptr_t page = 4096, first = (uintptr_t)guarded / page * page, last = ((uintptr_t)guarded + bytes + page - 1) / page * page;
  if (!bytes) return;
  mprotect((void*)first, last - first, PROT_READ | PROT_WRITE);
  memcpy(to, from, bytes);
  mprotect((void*)first, last - first, PROT_NONE);
}
static void* host_copy(const void* device, size_t bytes) {
  void* host = malloc(bytes + 1);
  copy(host, device, bytes, (void*)device);
  return host;
}
static void to_device(void* device, void* host, size_t bytes) {
  copy(device, host, bytes, device);
  free(host);
}
static void average(void* host, size_t count, int datatype, int op, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  for (size_t i = 0; op == 4 && i < count; ++i) {
    if (datatype == 7) ((float*)host)[i] /= (float)size;
    if (datatype == 8) ((double*)host)[i] /= size;
  }
}

const char* ncclGetErrorString(int status) { return status == 4 ? "invalid argument" : "no error"; }
int ncclGetUniqueId(ncclUniqueId* id) {
  memset(id->internal, 7, sizeof id->internal);
  return 0;
}
int ncclCommInitRank(void** comm, int size, ncclUniqueId id, int rank) {
  int actual_size, actual_rank;
  MPI_Comm* made = malloc(sizeof *made);
  for (int i = 0; i < 128; ++i) {
    if (id.internal[i] != 7) return 4;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, made);
  MPI_Comm_size(*made, &actual_size);
  MPI_Comm_rank(*made, &actual_rank);
  *comm = made;
  return actual_size == size && actual_rank == rank ? 0 : 4;
}
int ncclCommDestroy(void* comm) { return MPI_Comm_free(comm); }

int ncclAllReduce(const void* from, void* to, size_t count, int datatype, int op, void* comm, void* stream) {
  if (datatype == 6 || datatype == 9 || !stream) return 4;
  void *in = host_copy(from, count * bytes_of(datatype)), *out = malloc(count * bytes_of(datatype) + 1);
  MPI_Allreduce(in, out, (int)count, type_of(datatype), operation_of(op), *(MPI_Comm*)comm);
  average(out, count, datatype, op, *(MPI_Comm*)comm);
  free(in);
  to_device(to, out, count * bytes_of(datatype));
  return 0;
}
int ncclReduce(const void* from, void* to, size_t count, int datatype, int op, int root, void* comm, void* stream) {
  void *in = host_copy(from, count * bytes_of(datatype)), *out = malloc(count * bytes_of(datatype) + 1);
  if (!stream) return 4;
  MPI_Reduce(in, out, (int)count, type_of(datatype), operation_of(op), root, *(MPI_Comm*)comm);
  average(out, count, datatype, op, *(MPI_Comm*)comm);
  free(in);
  if (to) to_device(to, out, count * bytes_of(datatype));
  return 0;
}
int ncclBroadcast(const void* from, void* to, size_t count, int datatype, int root, void* comm, void* stream) {
  size_t bytes = count * bytes_of(datatype);
  void* host = host_copy(from, bytes);
  if (!stream) return 4;
  MPI_Bcast(host, (int)bytes, MPI_BYTE, root, *(MPI_Comm*)comm);
  to_device(to, host, bytes);
  return 0;
}
int ncclAllGather(const void* from, void* to, size_t count, int datatype, void* comm, void* stream) {
  int size, bytes = (int)count * bytes_of(datatype);
  MPI_Comm_size(*(MPI_Comm*)comm, &size);
  if (!stream) return 4;
  void *in = host_copy(from, bytes), *out = malloc((size_t)bytes * size + 1);
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, *(MPI_Comm*)comm);
  free(in);
  to_device(to, out, (size_t)bytes * size);
  return 0;
}
int ncclReduceScatter(const void* from, void* to, size_t count, int datatype, int op, void* comm, void* stream) {
  int size;
  MPI_Comm_size(*(MPI_Comm*)comm, &size);
  if (!stream) return 4;
  void *in = host_copy(from, count * size * bytes_of(datatype)), *out = malloc(count * bytes_of(datatype) + 1);
  MPI_Reduce_scatter_block(in, out, (int)count, type_of(datatype), operation_of(op), *(MPI_Comm*)comm);
  average(out, count, datatype, op, *(MPI_Comm*)comm);
  free(in);
  to_device(to, out, count * bytes_of(datatype));
  return 0;
}

// All messages of a group are under way before one is waited for.
static int exchange(MPI_Comm comm) {
  MPI_Request requests[kQueue];
  void* hosts[kQueue];
  for (int i = 0; i < queued; ++i) {
    hosts[i] = host_copy(queue[i].at, queue[i].bytes);
    if (queue[i].is_send)
      MPI_Isend(hosts[i], queue[i].bytes, MPI_BYTE, queue[i].peer, 0, comm, &requests[i]);
    else
      MPI_Irecv(hosts[i], queue[i].bytes, MPI_BYTE, queue[i].peer, 0, comm, &requests[i]);
  }
  MPI_Waitall(queued, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < queued; ++i) {
    if (queue[i].is_send)
      free(hosts[i]);
    else
      to_device(queue[i].at, hosts[i], queue[i].bytes);
  }
  queued = 0;
  return 0;
}
static MPI_Comm last;
static int enqueue(void* at, int bytes, int peer, int is_send, void* comm) {
  queue[queued].at = at, queue[queued].bytes = bytes, queue[queued].peer = peer, queue[queued].is_send = is_send;
  ++queued;
  last = *(MPI_Comm*)comm;
  return grouped ? 0 : exchange(last);
}
int ncclSend(const void* from, size_t count, int datatype, int peer, void* comm, void* stream) {
  return stream ? enqueue((void*)from, (int)count * bytes_of(datatype), peer, 1, comm) : 4;
}
int ncclRecv(void* to, size_t count, int datatype, int peer, void* comm, void* stream) {
  return stream ? enqueue(to, (int)count * bytes_of(datatype), peer, 0, comm) : 4;
}
int ncclGroupStart(void) {
  grouped = 1;
  return 0;
}
int ncclGroupEnd(void) {
  grouped = 0;
  return exchange(last);
}
