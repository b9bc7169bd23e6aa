import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Removes what retention allows, at most about `limit` rows; true if there may be more. A message is gone at once,
    /// its pages one after the other.
    func sweep(now: Timestamp, limit: Int, in transaction: inout WriteTransaction) throws -> Bool {
        var rest = limit
        for kind in ExpiringKind.allCases {
            // What is exactly as old as its retention stays: the window of a key includes its end.
            let age = retention.milliseconds(of: kind)
            guard now.milliseconds >= age else { continue }
            let bound = Timestamp(milliseconds: now.milliseconds - age)
            let due = try layout.expiry.due(transaction, kind, before: bound, limit: rest)
            for (thing, time) in due {
                rest -= try remove(thing, from: time, limit: rest, in: &transaction)
                if rest <= 0 { return true }
            }
        }
        return false
    }

    /// Removes a thing and its note, of a message no more pages than `limit`; returns how many rows.
    private func remove(
        _ thing: Expiring,
        from time: Timestamp,
        limit: Int,
        in transaction: inout WriteTransaction
    ) throws -> Int {
        switch thing {
        case .tombstone(let app, let address):
            try layout.expiry.delete(&transaction, thing, from: time)
            guard case .tombstone = try layout.addresses.get(transaction, app, address) else { return 1 }
            try layout.addresses.delete(&transaction, app, address)
            return 2
        case .idempotencyKey(let app, let key):
            try layout.expiry.delete(&transaction, thing, from: time)
            try layout.idempotency.delete(&transaction, app, key)
            return 2
        case .message(let id):
            var rows = 0
            if try layout.progress.get(transaction, id) != nil {
                try layout.messages.delete(&transaction, id)
                try layout.progress.delete(&transaction, id)
                rows = 2
            }
            while rows < limit, let page = try layout.outcomes.nextPage(transaction, id, from: 0) {
                try layout.outcomes.delete(&transaction, id, page: page)
                _ = try layout.recipients.delete(&transaction, id, page: page)
                rows += 2
            }
            // The note stays until all pages are gone: the next sweep goes on here.
            guard try layout.outcomes.nextPage(transaction, id, from: 0) == nil else { return rows }
            try layout.expiry.delete(&transaction, thing, from: time)
            return rows + 1
        }
    }
}
