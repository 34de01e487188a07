package org.apache.kafka.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.DescribeReplicaLogDirsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.placement.PartitionAssignment;
import org.apache.kafka.metadata.placement.PlacementSpec;
import org.apache.kafka.metadata.placement.ClusterDescriber;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.metadata.placement.UsableBroker;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Asks Kafka's own classes the questions of ../vectors: a record as JSON a line in, what the class says a line out.
 *
 * It lies in the controller's package, whose classes are for their own package alone; compiled against the jars of one
 * release and run with them. Replicas' directories and the level of metadata.version are what they need to be for that.
 */
public class Ask {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Uuid TOPIC_ID = new Uuid(1, 1);

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(answerOrError(JSON.readTree(line))));
        }
        out.flush();
    }

    private static JsonNode answerOrError(JsonNode question) {
        try {
            return answer(question);
        } catch (Throwable thrown) {
            Throwable why = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            ObjectNode told = JSON.createObjectNode();
            told.putObject("error").put("exception", why.getClass().getName()).put("message", why.getMessage());
            return told;
        }
    }

    private static JsonNode answer(JsonNode question) throws Exception {
        switch (question.get("family").asText()) {
            case "kraft_placement": return placed(question);
            case "topic_names": return named(question);
            case "generate":
                return question.get("check").asText().equals("parse_plan") ? parsed(question) : generated(question);
            case "election": return elected(question);
            default: return assigned(question);
        }
    }

    // ---- placement --------------------------------------------------------------------------------------------

    /** By the placer alone; where a broker is cordoned, of the brokers that the controller gives the placer. */
    private static JsonNode placed(JsonNode question) throws Exception {
        List<UsableBroker> brokers = new ArrayList<>();
        boolean cordons = false;
        for (JsonNode broker : question.get("brokers")) {
            Optional<String> rack = broker.get("rack").isNull() ? Optional.empty() : Optional.of(broker.get("rack").asText());
            brokers.add(new UsableBroker(broker.get("id").asInt(), rack, broker.get("fenced").asBoolean()));
            cordons |= broker.has("cordoned");
        }
        ClusterDescriber cluster = cordons ? controller(question.get("brokers")).clusterDescriber : describer(brokers);
        PlacementSpec wanted = new PlacementSpec(question.get("start_partition").asInt(),
            question.get("n_partitions").asInt(), (short) question.get("replication_factor").asInt());
        ObjectNode result = JSON.createObjectNode();
        ArrayNode lists = result.putArray("placements");
        Random draws = new Random(question.get("java_random_seed").asLong());
        for (PartitionAssignment one : new StripedReplicaPlacer(draws).place(wanted, cluster).assignments()) {
            ArrayNode list = lists.addArray();
            one.replicas().forEach(list::add);
        }
        return result;
    }

    private static ClusterDescriber describer(List<UsableBroker> brokers) {
        return new ClusterDescriber() {
            @Override
            public Iterator<UsableBroker> usableBrokers() {
                return brokers.iterator();
            }

            @Override
            public Uuid defaultDir(int broker) {
                return new Uuid(2, broker);
            }
        };
    }

    // ---- the controller ---------------------------------------------------------------------------------------

    private static ReplicationControlManager controller(JsonNode brokers) throws Exception {
        SnapshotRegistry registry = new SnapshotRegistry(new org.apache.kafka.common.utils.LogContext());
        return controller(brokers, registry);
    }

    private static ReplicationControlManager controller(JsonNode brokers, SnapshotRegistry registry) throws Exception {
        FeatureControlManager features = new FeatureControlManager.Builder().setSnapshotRegistry(registry).build();
        features.replay(new FeatureLevelRecord().setName("metadata.version").setFeatureLevel((short) LEVEL));
        ClusterControlManager cluster = new ClusterControlManager.Builder()
            .setSnapshotRegistry(registry).setClusterId("asked").setFeatureControlManager(features)
            .setBrokerShutdownHandler((broker, clean, records) -> { }).build();
        cluster.activate();
        for (JsonNode broker : brokers) {
            RegisterBrokerRecord record = new RegisterBrokerRecord()
                .setBrokerId(broker.get("id").asInt()).setBrokerEpoch(100 + broker.get("id").asInt())
                .setIncarnationId(new Uuid(3, broker.get("id").asInt())).setFenced(broker.path("fenced").asBoolean())
                .setInControlledShutdown(broker.path("stopping").asBoolean())
                .setLogDirs(List.of(new Uuid(2, broker.get("id").asInt())));
            if (!broker.path("rack").isNull() && broker.has("rack")) {
                record.setRack(broker.get("rack").asText());
            }
            if (broker.path("cordoned").asBoolean()) {
                RegisterBrokerRecord.class.getMethod("setCordonedLogDirs", List.class).invoke(record, record.logDirs());
            }
            cluster.replay(record, 10L);
        }
        ConfigurationControlManager settings = new ConfigurationControlManager.Builder()
            .setSnapshotRegistry(registry).setFeatureControl(features).setKafkaConfigSchema(schema()).build();
        return new ReplicationControlManager.Builder().setSnapshotRegistry(registry).setFeatureControl(features)
            .setClusterControl(cluster).setConfigurationControl(settings).build();
    }

    /** The two settings that an election asks for, with Kafka's defaults. */
    private static KafkaConfigSchema schema() {
        Map<ConfigResource.Type, ConfigDef> known = new HashMap<>();
        for (ConfigResource.Type type : List.of(ConfigResource.Type.BROKER, ConfigResource.Type.TOPIC)) {
            known.put(type, new ConfigDef()
                .define("min.insync.replicas", ConfigDef.Type.INT, 1, ConfigDef.Importance.HIGH, "")
                .define("unclean.leader.election.enable", ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.HIGH, ""));
        }
        Map<String, List<ConfigSynonym>> alike = new HashMap<>();
        for (String name : List.of("min.insync.replicas", "unclean.leader.election.enable")) {
            alike.put(name, List.of(new ConfigSynonym(name)));
        }
        return new KafkaConfigSchema(known, alike);
    }

    private static final int LEVEL = Integer.getInteger("level", 21);

    private static JsonNode elected(JsonNode question) throws Exception {
        ArrayNode brokers = JSON.createArrayNode();
        question.get("broker_states").fields().forEachRemaining(state -> brokers.addObject()
            .put("id", Integer.parseInt(state.getKey()))
            .put("fenced", state.getValue().asText().equals("fenced"))
            .put("stopping", state.getValue().asText().equals("in_controlled_shutdown")));
        ReplicationControlManager controller = controller(brokers);
        controller.replay(new TopicRecord().setName(question.get("existing_topic").asText()).setTopicId(TOPIC_ID));
        controller.replay(new PartitionRecord().setTopicId(TOPIC_ID)
            .setPartitionId(question.get("existing_partition").asInt()).setReplicas(ids(question.get("replicas")))
            .setIsr(ids(question.get("isr"))).setLeader(question.get("current_leader").asInt()).setLeaderEpoch(1)
            .setPartitionEpoch(1)
            .setLeaderRecoveryState(LeaderRecoveryState.valueOf(question.get("leader_recovery_state").asText()).value()));
        List<ApiMessageAndVersion> records = new ArrayList<>();
        org.apache.kafka.common.requests.ApiError said = controller.electLeader(question.get("requested_topic").asText(),
            question.get("requested_partition").asInt(), ElectionType.valueOf(question.get("election_type").asText()), records);
        ObjectNode result = JSON.createObjectNode();
        result.put("error", said.error().name());
        result.put("error_message", said.error() == Errors.NONE ? null : said.messageWithFallback());
        PartitionChangeRecord change = records.isEmpty() ? null : (PartitionChangeRecord) records.get(0).message();
        if (change == null || change.leader() == -2) {
            result.putNull("new_leader");
        } else {
            result.put("new_leader", change.leader());
        }
        return result;
    }

    private static List<Integer> ids(JsonNode array) {
        List<Integer> found = new ArrayList<>();
        array.forEach(one -> found.add(one.asInt()));
        return found;
    }

    // ---- names and plans --------------------------------------------------------------------------------------

    private static JsonNode named(JsonNode question) {
        ObjectNode result = JSON.createObjectNode();
        switch (question.get("check").asText()) {
            case "collision":
                return result.put("has_collision",
                    Topic.hasCollision(question.get("name_a").asText(), question.get("name_b").asText()));
            case "unify":
                return result.put("unify_collision_chars", Topic.unifyCollisionChars(question.get("name").asText()));
            default:
                String name = question.get("name").asText();
                result.put("valid", true);
                try {
                    Topic.validate(name);
                } catch (RuntimeException refused) {
                    result.put("valid", false);
                    result.putObject("error").put("exception", refused.getClass().getName())
                        .put("message", refused.getMessage());
                }
                return result.put("has_collision_chars", Topic.hasCollisionChars(name))
                    .put("is_internal", Topic.isInternal(name));
        }
    }

    /** The command line's own reader of a plan, where its jar is on the class path. */
    private static JsonNode parsed(JsonNode question) throws Exception {
        Class<?> tool = Class.forName("org.apache.kafka.tools.reassign.ReassignPartitionsCommand");
        Method read = tool.getDeclaredMethod("parseExecuteAssignmentArgs", String.class);
        read.setAccessible(true);
        Map.Entry<?, ?> told = (Map.Entry<?, ?>) read.invoke(null, question.get("plan_json").asText());
        ObjectNode result = JSON.createObjectNode();
        ObjectNode lists = result.putObject("replicas");
        ((Map<?, ?>) told.getKey()).forEach((partition, replicas) -> {
            ArrayNode list = lists.putArray(partition.toString());
            ((List<?>) replicas).forEach(broker -> list.add((Integer) broker));
        });
        return result;
    }

    /** The command line's whole --generate over an Admin that tells living brokers; a dead one is never asked in vain. */
    private static JsonNode generated(JsonNode question) throws Exception {
        Class<?> tool = Class.forName("org.apache.kafka.tools.reassign.ReassignPartitionsCommand");
        Field placer = tool.getDeclaredField("REPLICA_PLACER");
        placer.setAccessible(true);
        Field random = StripedReplicaPlacer.class.getDeclaredField("random");
        random.setAccessible(true);
        random.set(placer.get(null), new Random(question.get("java_random_seed").asLong()));
        Map<Integer, Node> nodes = new HashMap<>();
        for (JsonNode broker : question.get("brokers")) {
            int id = broker.get("id").asInt();
            nodes.put(id, broker.path("dead").asBoolean() ? new Node(id, "", -1)
                : new Node(id, "host", 9092, broker.get("rack").isNull() ? null : broker.get("rack").asText()));
        }
        Map<String, List<TopicPartitionInfo>> topics = new HashMap<>();
        question.get("current_assignment").fields().forEachRemaining(one -> {
            int dash = one.getKey().lastIndexOf('-');
            List<Node> replicas = new ArrayList<>();
            ids(one.getValue()).forEach(id -> replicas.add(nodes.get(id)));
            topics.computeIfAbsent(one.getKey().substring(0, dash), name -> new ArrayList<>()).add(new TopicPartitionInfo(
                Integer.parseInt(one.getKey().substring(dash + 1)), replicas.get(0), replicas, List.of()));
        });
        Admin admin = (Admin) Proxy.newProxyInstance(Ask.class.getClassLoader(), new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> told(method.getName(), arguments, nodes, topics));
        Method generate = null;
        for (Method one : tool.getDeclaredMethods()) {
            generate = one.getName().equals("generateAssignment") ? one : generate;
        }
        ArrayNode named = JSON.createArrayNode();
        topics.keySet().forEach(name -> named.addObject().put("topic", name));
        String document = JSON.createObjectNode().put("version", 1).<ObjectNode>set("topics", named).toString();
        PrintStream kept = System.out;
        System.setOut(new PrintStream(java.io.OutputStream.nullOutputStream()));
        Map.Entry<?, ?> made;
        try {
            made = (Map.Entry<?, ?>) generate.invoke(null, admin, document, question.get("broker_list").asText(),
                !question.get("disable_rack_aware").asBoolean());
        } finally {
            System.setOut(kept);
        }
        ObjectNode result = JSON.createObjectNode();
        ObjectNode lists = result.putObject("proposed_assignment");
        ((Map<?, ?>) made.getKey()).forEach((partition, replicas) -> {
            ArrayNode list = lists.putArray(partition.toString());
            ((List<?>) replicas).forEach(broker -> list.add((Integer) broker));
        });
        return result;
    }

    private static Object told(
        String asked, Object[] arguments, Map<Integer, Node> nodes, Map<String, List<TopicPartitionInfo>> topics
    ) throws Exception {
        switch (asked) {
            case "describeCluster":
                List<Node> living = new ArrayList<>(nodes.values());
                living.removeIf(Node::isEmpty);
                return made(DescribeClusterResult.class, KafkaFuture.completedFuture(living), null, null, null);
            case "describeTopics":
                Map<String, Object> described = new HashMap<>();
                topics.forEach((name, partitions) -> described.put(
                    name, KafkaFuture.completedFuture(new TopicDescription(name, false, partitions))));
                return made(DescribeTopicsResult.class, null, described);
            case "describeReplicaLogDirs":
                Map<Object, Object> where = new HashMap<>();
                for (Object one : (Iterable<?>) arguments[0]) {
                    if (nodes.get(((TopicPartitionReplica) one).brokerId()).isEmpty()) {
                        throw new org.apache.kafka.common.errors.TimeoutException("a dead broker was asked");
                    }
                    where.put(one, KafkaFuture.completedFuture(
                        made(DescribeReplicaLogDirsResult.ReplicaLogDirInfo.class, "/data", 0L, null, 0L)));
                }
                return made(DescribeReplicaLogDirsResult.class, where);
            default: throw new UnsupportedOperationException(asked);
        }
    }

    /** What only its own package may make. */
    private static Object made(Class<?> kind, Object... parts) throws Exception {
        for (java.lang.reflect.Constructor<?> one : kind.getDeclaredConstructors()) {
            if (one.getParameterCount() == parts.length) {
                one.setAccessible(true);
                return one.newInstance(parts);
            }
        }
        throw new NoSuchMethodException(kind.getName());
    }

    // ---- consumers --------------------------------------------------------------------------------------------

    private static ConsumerPartitionAssignor assignor(String name) {
        switch (name) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            case "cooperative_sticky": return new CooperativeStickyAssignor();
            default: throw new IllegalArgumentException(name);
        }
    }

    private static JsonNode assigned(JsonNode question) {
        String name = question.get("family").asText();
        Map<String, Subscription> members = new HashMap<>();
        for (JsonNode member : question.get("members")) {
            members.put(member.get("member_id").asText(), subscription(name, member));
        }
        ObjectNode given = JSON.createObjectNode();
        assignor(name).assign(cluster(question), new GroupSubscription(members)).groupAssignment().forEach((id, told) -> {
            List<TopicPartition> sorted = new ArrayList<>(told.partitions());
            sorted.sort((a, b) -> a.topic().equals(b.topic()) ? a.partition() - b.partition() : a.topic().compareTo(b.topic()));
            ArrayNode list = given.putArray(id);
            sorted.forEach(one -> list.add(one.topic() + "-" + one.partition()));
        });
        ObjectNode result = JSON.createObjectNode();
        result.set("assignment", given);
        return result;
    }

    /** As a consumer of the group would send it: the ownership also through the assignor's own user data. */
    private static Subscription subscription(String name, JsonNode member) {
        List<String> topics = new ArrayList<>();
        member.get("topics").forEach(topic -> topics.add(topic.asText()));
        List<TopicPartition> owned = new ArrayList<>();
        for (JsonNode one : member.path("owned_partitions")) {
            String told = one.asText();
            int at = told.lastIndexOf('-');
            owned.add(new TopicPartition(told.substring(0, at), Integer.parseInt(told.substring(at + 1))));
        }
        int generation = member.path("generation").isInt() ? member.get("generation").asInt() : -1;
        ConsumerPartitionAssignor own = assignor(name);
        if (!member.path("owned_partitions").isMissingNode() && !member.get("owned_partitions").isNull()) {
            own.onAssignment(new Assignment(owned),
                new ConsumerGroupMetadata("group", generation, member.get("member_id").asText(), Optional.empty()));
        }
        Optional<String> rack = member.path("rack_id").isTextual()
            ? Optional.of(member.get("rack_id").asText()) : Optional.empty();
        Subscription made = new Subscription(topics, own.subscriptionUserData(new HashSet<>(topics)),
            owned, generation, rack);
        made.setGroupInstanceId(member.path("group_instance_id").isTextual()
            ? Optional.of(member.get("group_instance_id").asText()) : Optional.empty());
        return made;
    }

    private static Cluster cluster(JsonNode question) {
        Map<Integer, Node> brokers = new HashMap<>();
        question.path("broker_racks").fields().forEachRemaining(one -> brokers.put(Integer.parseInt(one.getKey()),
            new Node(Integer.parseInt(one.getKey()), "localhost", 9092,
                one.getValue().isNull() ? null : one.getValue().asText())));
        Node bare = new Node(0, "localhost", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        question.get("partitions_per_topic").fields().forEachRemaining(topic -> {
            JsonNode lists = question.path("partition_replicas").path(topic.getKey());
            for (int p = 0; p < topic.getValue().asInt(); p++) {
                List<Node> replicas = new ArrayList<>();
                lists.path(p).forEach(id -> replicas.add(brokers.get(id.asInt())));
                Node[] nodes = replicas.isEmpty() ? new Node[] {bare} : replicas.toArray(new Node[0]);
                partitions.add(new PartitionInfo(topic.getKey(), p, nodes[0], nodes, nodes));
            }
        });
        Set<Node> nodes = new HashSet<>(brokers.values());
        nodes.add(bare);
        return new Cluster("cluster", nodes, partitions, Set.of(), Set.of());
    }
}
