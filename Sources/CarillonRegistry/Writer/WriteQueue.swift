import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The jobs that wait for the writer thread, in order; bounded by count and bytes.
///
// Safety: everything but the pointers, which never change, is only touched with `mutex` locked.
final class WriteQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let options: LMDBRegistry.Options

    private var jobs: [Waiting] = []
    private var count = 0
    private var bytes = 0
    private var phase = Phase.open
    private var isStopped = false

    private struct Waiting {
        let job: Job
        let count: Int
        let bytes: Int
    }

    private enum Phase {
        /// Takes jobs.
        case open
        /// Takes none; what waits is still written.
        case closing
        /// The disk has failed: nothing is written any more.
        case failed(RegistryError)
    }

    init(options: LMDBRegistry.Options) {
        self.options = options
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Appends a job, or tells why not: `.overloaded`, `.closed`, or how the disk failed.
    func append(_ job: Job) -> RegistryError? {
        let waiting = Waiting(job: job, count: job.count, bytes: job.bytes)
        return withLock {
            switch phase {
            case .closing: return .closed
            case .failed(let error): return error
            case .open: break
            }
            guard waiting.count <= options.queueChanges - count, waiting.bytes <= options.queueBytes - bytes else {
                return .overloaded
            }
            jobs.append(waiting)
            count += waiting.count
            bytes += waiting.bytes
            pthread_cond_broadcast(condition)
            return nil
        }
    }

    /// Waits for jobs and takes as many as make one commit, at least one; nothing when the queue is closed and empty.
    func takeBatch() -> [Job]? {
        withLock {
            while jobs.isEmpty {
                guard case .open = phase else { return nil }
                pthread_cond_wait(condition, mutex)
            }
            var taken = (jobs: 0, count: 0, bytes: 0)
            for waiting in jobs {
                let isWithin =
                    taken.count + waiting.count <= options.batchChanges
                    && taken.bytes + waiting.bytes <= options.batchBytes
                guard taken.jobs == 0 || isWithin else { break }
                taken = (taken.jobs + 1, taken.count + waiting.count, taken.bytes + waiting.bytes)
            }
            let batch = jobs[..<taken.jobs].map(\.job)
            jobs.removeFirst(taken.jobs)
            count -= taken.count
            bytes -= taken.bytes
            return batch
        }
    }

    /// What waits now.
    var load: (changes: Int, bytes: Int) { withLock { (count, bytes) } }

    /// Takes no more jobs.
    func close() {
        withLock {
            if case .open = phase { phase = .closing }
            pthread_cond_broadcast(condition)
        }
    }

    /// Refuses all later jobs with `error`, and returns those that wait.
    func fail(_ error: RegistryError) -> [Job] {
        withLock {
            phase = .failed(error)
            defer { (jobs, count, bytes) = ([], 0, 0) }
            return jobs.map(\.job)
        }
    }

    /// The writer thread has let go of everything.
    func stopped() {
        withLock {
            isStopped = true
            pthread_cond_broadcast(condition)
        }
    }

    /// Waits for `stopped`.
    func waitUntilStopped() {
        withLock {
            while !isStopped { pthread_cond_wait(condition, mutex) }
        }
    }

    private func withLock<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
