import CarillonCore
import Synchronization

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
    /// Chunks of the largest app, as the writer knows.
    let chunks = Atomic<Int>(0)

    /// Jobs that there is room for before they come, at most.
    private static let mostReserved = 4_096

    private var jobs: [Job] = []
    private var count = 0
    private var bytes = 0
    private var phase = Phase.open
    private var isStopped = false
    private var isNudged = false

    /// What the writer takes from the queue.
    enum Taken {
        /// As many jobs as make one commit, at least one.
        case jobs([Job])
        /// No job has come in the time that there was, or `nudge` was called.
        case nothing
        /// The queue is closed and empty.
        case end
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
        // Of the clock that nobody sets.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if canImport(Glibc)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Appends a job, or tells why not: `.overloaded`, `.closed`, or how the disk failed.
    func append(_ job: Job) -> RegistryError? {
        withLock { enqueue(job) }
    }

    /// Appends `count` jobs with nothing between them, each made in its place; those that are not taken are returned, each with
    /// why not.
    func append(count: Int, _ job: (Int) -> Job) -> [(job: Job, refusal: RegistryError)] {
        withLock {
            var refused: [(job: Job, refusal: RegistryError)] = []
            for index in 0..<count {
                let job = job(index)
                if let refusal = enqueue(job) { refused.append((job, refusal)) }
            }
            return refused
        }
    }

    /// With `mutex` locked.
    private func enqueue(_ job: Job) -> RegistryError? {
        switch phase {
        case .closing: return .closed
        case .failed(let error): return error
        case .open: break
        }
        guard job.count <= options.queueChanges - count, job.bytes <= options.queueBytes - bytes else {
            return .overloaded
        }
        // The writer waits for the first only.
        if jobs.isEmpty { pthread_cond_broadcast(condition) }
        count += job.count
        bytes += job.bytes
        jobs.append(job)
        return nil
    }

    /// Waits for jobs, if it is to at most so many milliseconds, and takes them.
    func take(within milliseconds: UInt64?) -> Taken {
        withLock {
            let deadline = milliseconds.map { Self.deadline(after: $0) }
            while jobs.isEmpty, !isNudged {
                guard case .open = phase else { return .end }
                if var deadline {
                    if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return .nothing }
                } else {
                    pthread_cond_wait(condition, mutex)
                }
            }
            if isNudged {
                isNudged = false
                return .nothing
            }
            if count <= options.batchChanges && bytes <= options.batchBytes {
                // Usually all of them: handed over without a copy. As many more are likely to come.
                var taken: [Job] = []
                taken.reserveCapacity(min(jobs.count, Self.mostReserved))
                swap(&taken, &jobs)
                (count, bytes) = (0, 0)
                return .jobs(taken)
            }
            var taken = (jobs: 0, count: 0, bytes: 0)
            while taken.jobs < jobs.count {
                let (moreCount, moreBytes) = (jobs[taken.jobs].count, jobs[taken.jobs].bytes)
                let isWithin =
                    taken.count + moreCount <= options.batchChanges && taken.bytes + moreBytes <= options.batchBytes
                guard taken.jobs == 0 || isWithin else { break }
                taken = (taken.jobs + 1, taken.count + moreCount, taken.bytes + moreBytes)
            }
            let batch = Array(jobs[..<taken.jobs])
            jobs.removeFirst(taken.jobs)
            count -= taken.count
            bytes -= taken.bytes
            return .jobs(batch)
        }
    }

    private static func deadline(after milliseconds: UInt64) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(milliseconds % 1_000) * 1_000_000
        time.tv_sec += Int(milliseconds / 1_000) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }

    /// Has the writer look what there is to do besides jobs, before it takes the next.
    func nudge() {
        withLock {
            isNudged = true
            pthread_cond_broadcast(condition)
        }
    }

    /// The changes that wait now.
    var load: WriteQueueLoad { withLock { WriteQueueLoad(changes: count, bytes: bytes) } }

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
            return jobs
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
