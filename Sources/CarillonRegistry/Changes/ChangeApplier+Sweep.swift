import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// Removes what retention allows, at most `limit` things and the pages of the last message among them; true if there
    /// may be more.
    func sweep(now: Timestamp, limit: Int, in transaction: inout WriteTransaction) throws -> Bool {
        var rest = limit
        for kind in ExpiringKind.allCases {
            // What is exactly as old as its retention stays: the window of a key includes its end.
            let age = retention.milliseconds(of: kind)
            guard now.milliseconds >= age else { continue }
            let bound = Timestamp(milliseconds: now.milliseconds - age)
            let due = try layout.expiry.due(transaction, kind, before: bound, limit: rest)
            for (thing, time) in due {
                rest -= try remove(thing, from: time, in: &transaction)
                if rest <= 0 { return true }
            }
        }
        return false
    }

    /// Removes a thing and its note; returns how many rows it had.
    private func remove(_ thing: Expiring, from time: Timestamp, in transaction: inout WriteTransaction) throws -> Int {
        try layout.expiry.delete(&transaction, thing, from: time)
        switch thing {
        case .tombstone(let app, let address):
            guard case .tombstone = try layout.addresses.get(transaction, app, address) else { return 1 }
            try layout.addresses.delete(&transaction, app, address)
            return 2
        case .idempotencyKey(let app, let key):
            try layout.idempotency.delete(&transaction, app, key)
            return 2
        case .message(let id):
            guard let progress = try layout.progress.get(transaction, id) else { return 1 }
            for page in 0..<progress.pages {
                // Whatever number the record claims, the work ends with the pages.
                guard try layout.recipients.delete(&transaction, id, page: page) else { break }
                try layout.outcomes.delete(&transaction, id, page: page)
            }
            try layout.messages.delete(&transaction, id)
            try layout.progress.delete(&transaction, id)
            return 3 + 2 * Int(progress.pages)
        }
    }
}
