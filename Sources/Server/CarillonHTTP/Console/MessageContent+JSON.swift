import CarillonCore

/// The content of a message as JSON for the console.
extension MessageContent {
    /// Appends the content as a JSON object, with the names of SEND. Payloads were checked when they were accepted.
    func append(to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("push_type", pushType.name)
            if let collapseID { output.member("collapse_id", collapseID) }
            if let idKey { output.member("id_key", idKey) }
            if !payload.isEmpty {
                output.name("payload")
                output.json(payload)
            }
            output.name("bodies")
            output.array { output in
                for body in bodies {
                    output.object { output in
                        output.member("language", body.language)
                        output.name("payload")
                        output.json(body.payload)
                    }
                }
            }
            switch android {
            case nil: break
            case .overrides(let json):
                output.name("android")
                output.json(json)
            case .raw(let json):
                output.name("android_raw")
                output.json(json)
            }
            switch web {
            case nil: break
            case .overrides(let json):
                output.name("web")
                output.json(json)
            case .raw(let json):
                output.name("web_raw")
                output.json(json)
            }
        }
    }
}
