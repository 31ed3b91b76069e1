BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE authors (
	name VARCHAR NOT NULL, 
	held BOOLEAN NOT NULL, 
	widen DOUBLE NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "authors" VALUES('ana',0,1.0);
CREATE TABLE beliefs (
	id INTEGER NOT NULL, 
	hypothesis_id INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	belief DOUBLE NOT NULL, 
	runs INTEGER NOT NULL, 
	estimate DOUBLE, 
	low DOUBLE, 
	high DOUBLE, 
	verdict VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(hypothesis_id) REFERENCES hypotheses (id)
);
INSERT INTO "beliefs" VALUES(1,1,'2026-11-15T09:12:35.200000+00:00',0.5,0,NULL,NULL,NULL,'open','the campaign grew to 1 hypotheses');
CREATE TABLE campaigns (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	author VARCHAR NOT NULL, 
	goal VARCHAR NOT NULL, 
	metric JSON, 
	workload VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	goal_gain DOUBLE, 
	budget_s DOUBLE, 
	budget_money DOUBLE, 
	state VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	spent_s DOUBLE NOT NULL, 
	spent_money DOUBLE NOT NULL, 
	UNIQUE (name), 
	UNIQUE (uid)
);
INSERT INTO "campaigns" VALUES(1,'844b95989a9145d8be3d175b7140e3ac','inbox','ana','what has no campaign of its own',NULL,'','',NULL,NULL,NULL,'active','2026-11-15T09:12:34.820940+00:00',0.0,0.0);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	author VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	data JSON NOT NULL, 
	previous VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,'2026-11-15T09:12:34.819583+00:00','ana','author.added','ana','author ana','{"table": "authors", "id": "ana", "set": {"name": "ana", "held": false}}','0000000000000000000000000000000000000000000000000000000000000000','a257bf9e34a0abbad631382eb27b6dd62ede215a122ecfa50039025328f32bd2');
INSERT INTO "events" VALUES(2,'2026-11-15T09:12:34.822552+00:00','ana','campaign.added','C-1','campaign inbox: what has no campaign of its own','{"table": "campaigns", "id": 1, "set": {"id": 1, "uid": "844b95989a9145d8be3d175b7140e3ac", "name": "inbox", "author": "ana", "goal": "what has no campaign of its own", "metric": null, "workload": "", "device": "", "goal_gain": null, "budget_s": null, "budget_money": null, "state": "active", "created_at": "2026-11-15T09:12:34.820940+00:00"}}','a257bf9e34a0abbad631382eb27b6dd62ede215a122ecfa50039025328f32bd2','fea2a303b1cfa477971cb02d6580015dd80f61ec9044c42a6c07360e9ddfbc93');
INSERT INTO "events" VALUES(3,'2026-11-15T09:12:34.847129+00:00','ana','hypothesis.added','H-1','H-1: the new one is faster','{"table": "hypotheses", "id": 1, "set": {"id": 1, "uid": "f6fc88fed9284f91b0b19c04b0a1eba4", "campaign_id": 1, "author": "ana", "claim": "the new one is faster", "because": "it reads less", "metric": {"name": "time_s", "unit": "s", "better": "lower", "scale": "ratio"}, "direction": 1, "delta": 0.02955880224154443, "prior": 0.5, "guards": [], "tags": [], "state": "active", "created_at": "2026-11-15T09:12:34.845276+00:00"}}','fea2a303b1cfa477971cb02d6580015dd80f61ec9044c42a6c07360e9ddfbc93','cce00b872294b1373320166941b0823aa41a9c5162e882219821602576543192');
INSERT INTO "events" VALUES(4,'2026-11-15T09:12:34.927112+00:00','ana','source.added','new.py','new.py is kept as 72d3d5b08c2c','{"table": "sources", "id": "72d3d5b08c2cf9d267d33ca44474dfaeabe3c74c51fad8b1094d3d07ce3856b7", "set": {"sha256": "72d3d5b08c2cf9d267d33ca44474dfaeabe3c74c51fad8b1094d3d07ce3856b7", "name": "new.py", "text": "def f(x):\n    return x\n"}}','cce00b872294b1373320166941b0823aa41a9c5162e882219821602576543192','12f462f5972b03c03b42c26d49af0f0452d32a2228969c6f502d736069f94bcf');
INSERT INTO "events" VALUES(5,'2026-11-15T09:12:34.937743+00:00','ana','experiment.added','E-1','E-1: new against old on softmax small','{"table": "experiments", "id": 1, "set": {"id": 1, "uid": "a05390567fb2455ea3f977708c0feef6", "campaign_id": 1, "author": "ana", "kind": "kernel", "title": "new against old on softmax small", "plan": {"kind": "kernel", "workload": "small", "device": "none", "baseline": {"label": "old", "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "rung": "old", "command": "", "text": null, "cuda": null}, "change": {"label": "new", "sha256": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "rung": "new.py", "command": "", "text": "sha256:72d3d5b08c2cf9d267d33ca44474dfaeabe3c74c51fad8b1094d3d07ce3856b7", "cuda": null}, "metrics": [{"name": "time_s", "unit": "s", "better": "lower", "scale": "ratio"}], "problem": "softmax", "problem_sha256": "", "blocks": 4, "limit_s": 600, "cwd": "", "variables": []}, "a_sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b_sha256": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "workload": "small", "device": "none", "environment_key": "4df1ac8b898e45ad", "noise_key": "Intel(R) Xeon(R) Processor | kernel | softmax | small", "repeats_id": null, "state": "draft", "state_reason": "", "runs_wanted": 3, "imported": false, "runs_asked": 0, "confirm_after": null, "pinned": false, "priority": 0, "created_at": "2026-11-15T09:12:34.927569+00:00", "queued_at": null}}','12f462f5972b03c03b42c26d49af0f0452d32a2228969c6f502d736069f94bcf','6700b4308be149c668935b303f21e8e81e79504740ad4acc5c8daa30e02f8f81');
INSERT INTO "events" VALUES(6,'2026-11-15T09:12:34.941303+00:00','ana','prediction.added','P-1','P-1: ana expects 1.22x..1.35x of H-1 in E-1','{"table": "predictions", "id": 1, "set": {"id": 1, "uid": "6032d7af0ef745a08a6509c218178336", "experiment_id": 1, "hypothesis_id": 1, "author": "ana", "low": 0.2, "high": 0.3, "locked_at": null}}','6700b4308be149c668935b303f21e8e81e79504740ad4acc5c8daa30e02f8f81','a4771cdf6d09e1d898e9599f4accc584065f9a11b72e8547b5095f30a9620fbb');
INSERT INTO "events" VALUES(7,'2026-11-15T09:12:34.976641+00:00','ana','prediction.locked','P-1','P-1 of E-1 is locked as 53d7bc009b2f','{"table": "predictions", "id": 1, "set": {"locked_at": "2026-11-15T09:12:34.971611+00:00", "low": 0.2, "high": 0.3}}','a4771cdf6d09e1d898e9599f4accc584065f9a11b72e8547b5095f30a9620fbb','864dfeed536fb2b87c27d78b782b6cfb065eb64c66537c8f6ef2cdea85b79cbb');
INSERT INTO "events" VALUES(8,'2026-11-15T09:12:34.977611+00:00','ana','experiment.queued','E-1','E-1 waits for 3 runs','{"table": "experiments", "id": 1, "set": {"state": "queued", "state_reason": "", "queued_at": "2026-11-15T09:12:34.976934+00:00"}}','864dfeed536fb2b87c27d78b782b6cfb065eb64c66537c8f6ef2cdea85b79cbb','94f911a00c0bd453050163633074749812b464f73908d301d56e402468e8127a');
INSERT INTO "events" VALUES(9,'2026-11-15T09:12:35.020214+00:00','ana','run.started','R-1','R-1 of E-1','{"table": "runs", "id": 1, "set": {"id": 1, "uid": "d9409142e60640c0adac30eace4a0de6", "experiment_id": 1, "nonce": "a92a926638a7bbb0c8997b44e31a80ce", "state": "running", "purpose": "evidence", "worker_id": null, "executor": "local", "place": "none", "started_at": "2026-11-15T09:12:35.006607+00:00", "ended_at": null, "reason": "", "environment_key": null, "noise_key": null, "gain": null, "error": null, "gains": null, "seconds": null, "money": null, "receipt_sha256": null}}','94f911a00c0bd453050163633074749812b464f73908d301d56e402468e8127a','72ad719a89b7bf84725a97593cc1a93f1188b9e7f94e24e547f9973ab94ac7b7');
INSERT INTO "events" VALUES(10,'2026-11-15T09:12:35.021165+00:00','ana','experiment.started','E-1','E-1 runs','{"table": "experiments", "id": 1, "set": {"state": "running"}}','72ad719a89b7bf84725a97593cc1a93f1188b9e7f94e24e547f9973ab94ac7b7','8d037cf7cb51362d0e31e31fc202a5ccc101e24e1433419187dfb4f0b853839e');
INSERT INTO "events" VALUES(11,'2026-11-15T09:12:35.046740+00:00','ana','measurement.added','M-1','M-1: judgement of tiled on softmax small','{"table": "measurements", "id": 1, "set": {"id": 1, "uid": "9032ed31627349e49da4debf456cfbcd", "author": "ana", "kind": "judgement", "problem": "softmax", "rungs": ["tiled"], "workload": "small", "device": "cpu", "document": {"status": "correct"}, "created_at": "2026-11-15T09:12:35.044599+00:00"}}','8d037cf7cb51362d0e31e31fc202a5ccc101e24e1433419187dfb4f0b853839e','342c43530b13a016e8919eac6fbbb22ff0d6379f4d27c48f867262035d864083');
INSERT INTO "events" VALUES(12,'2026-11-15T09:12:35.079582+00:00','ana','finding.added','F-1','F-1: it is faster','{"table": "findings", "id": 1, "set": {"id": 1, "uid": "df7bac35043d4bea951694582ab9afa3", "campaign_id": 1, "author": "ana", "statement": "it is faster", "tags": [], "metric": null, "gain": null, "low": null, "high": null, "runs": [], "environment_key": null, "environment": null, "state": "active", "created_at": "2026-11-15T09:12:35.076048+00:00", "stale": ""}}','342c43530b13a016e8919eac6fbbb22ff0d6379f4d27c48f867262035d864083','dfb9dc90baca5a78c29eb8d828f7ad1a056709675370a864d2de218408867270');
INSERT INTO "events" VALUES(13,'2026-11-15T09:12:35.093642+00:00','ana','link.added','L-1','L-1','{"table": "links", "id": 1, "set": {"id": 1, "uid": "f87b25b7fae74d6b8a35e302106e1efe", "finding_id": 1, "type": "supports", "to_kind": "E", "to_id": 1}}','dfb9dc90baca5a78c29eb8d828f7ad1a056709675370a864d2de218408867270','aa0e83892837a0c23ee938d4abfc6b61e210349c0d7dfa7d42697487bf8f3a3d');
INSERT INTO "events" VALUES(14,'2026-11-15T09:12:35.103990+00:00','ana','worker.started','W-1','W-1','{"table": "workers", "id": 1, "set": {"id": 1, "host": "host", "pid": 1, "executor": "local", "started_at": "2026-11-15T09:12:35.094064+00:00", "ended_at": null}}','aa0e83892837a0c23ee938d4abfc6b61e210349c0d7dfa7d42697487bf8f3a3d','76add6ef7d89f464beb2f364c2faf03486a9be528f38cf7974d1be14f084fdde');
INSERT INTO "events" VALUES(15,'2026-11-15T09:12:35.142464+00:00','ana','queue.paused','','the queue is paused','{}','76add6ef7d89f464beb2f364c2faf03486a9be528f38cf7974d1be14f084fdde','b1439387b4fa03a91e19d76ecd1fe8a43972374df91c21434fd27141a07c3dea');
CREATE TABLE experiments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	author VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	"plan" JSON NOT NULL, 
	a_sha256 VARCHAR NOT NULL, 
	b_sha256 VARCHAR NOT NULL, 
	workload VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	environment_key VARCHAR, 
	noise_key VARCHAR, 
	repeats_id INTEGER, 
	state VARCHAR NOT NULL, 
	state_reason VARCHAR NOT NULL, 
	runs_wanted INTEGER NOT NULL, 
	imported BOOLEAN NOT NULL, 
	runs_asked INTEGER NOT NULL, 
	confirm_after INTEGER, 
	pinned BOOLEAN NOT NULL, 
	priority INTEGER NOT NULL, 
	created_at VARCHAR NOT NULL, 
	queued_at VARCHAR, 
	runs_valid INTEGER NOT NULL, 
	cost_s DOUBLE NOT NULL, 
	worth DOUBLE NOT NULL, 
	score DOUBLE NOT NULL, 
	FOREIGN KEY(campaign_id) REFERENCES campaigns (id), 
	FOREIGN KEY(repeats_id) REFERENCES experiments (id), 
	UNIQUE (uid)
);
INSERT INTO "experiments" VALUES(1,'a05390567fb2455ea3f977708c0feef6',1,'ana','kernel','new against old on softmax small','{"kind": "kernel", "workload": "small", "device": "none", "baseline": {"label": "old", "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "rung": "old", "command": "", "text": null, "cuda": null}, "change": {"label": "new", "sha256": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "rung": "new.py", "command": "", "text": "sha256:72d3d5b08c2cf9d267d33ca44474dfaeabe3c74c51fad8b1094d3d07ce3856b7", "cuda": null}, "metrics": [{"name": "time_s", "unit": "s", "better": "lower", "scale": "ratio"}], "problem": "softmax", "problem_sha256": "", "blocks": 4, "limit_s": 600, "cwd": "", "variables": []}','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','small','none','4df1ac8b898e45ad','Intel(R) Xeon(R) Processor | kernel | softmax | small',NULL,'running','',3,0,0,NULL,0,0,'2026-11-15T09:12:34.927569+00:00','2026-11-15T09:12:34.976934+00:00',0,60.0,0.4152202727536935,0.006920337879228225);
CREATE TABLE findings (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	author VARCHAR NOT NULL, 
	statement VARCHAR NOT NULL, 
	tags JSON NOT NULL, 
	metric JSON, 
	gain DOUBLE, 
	low DOUBLE, 
	high DOUBLE, 
	runs JSON NOT NULL, 
	environment_key VARCHAR, 
	environment JSON, 
	state VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	stale VARCHAR NOT NULL, 
	FOREIGN KEY(campaign_id) REFERENCES campaigns (id), 
	UNIQUE (uid)
);
INSERT INTO "findings" VALUES(1,'df7bac35043d4bea951694582ab9afa3',1,'ana','it is faster','[]',NULL,NULL,NULL,NULL,'[]',NULL,NULL,'active','2026-11-15T09:12:35.076048+00:00','');
CREATE TABLE hypotheses (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	author VARCHAR NOT NULL, 
	claim VARCHAR NOT NULL, 
	because VARCHAR NOT NULL, 
	metric JSON NOT NULL, 
	direction INTEGER NOT NULL, 
	delta DOUBLE NOT NULL, 
	prior DOUBLE NOT NULL, 
	guards JSON NOT NULL, 
	tags JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	expected_low DOUBLE, 
	expected_high DOUBLE, 
	environment_key VARCHAR, 
	noise_key VARCHAR, 
	noise_runs INTEGER NOT NULL, 
	runs INTEGER NOT NULL, 
	log_support DOUBLE NOT NULL, 
	log_refute DOUBLE NOT NULL, 
	estimate DOUBLE, 
	low DOUBLE, 
	high DOUBLE, 
	sigma DOUBLE, 
	basis VARCHAR NOT NULL, 
	belief DOUBLE NOT NULL, 
	verdict VARCHAR NOT NULL, 
	drop_bits DOUBLE NOT NULL, 
	runs_to_decide INTEGER, 
	stale VARCHAR NOT NULL, 
	FOREIGN KEY(campaign_id) REFERENCES campaigns (id), 
	UNIQUE (uid)
);
INSERT INTO "hypotheses" VALUES(1,'f6fc88fed9284f91b0b19c04b0a1eba4',1,'ana','the new one is faster','it reads less','{"name": "time_s", "unit": "s", "better": "lower", "scale": "ratio"}',1,0.02955880224154443,0.5,'[]','[]','active','2026-11-15T09:12:34.845276+00:00',0.2,0.3,NULL,'Intel(R) Xeon(R) Processor | kernel | softmax | small',0,0,0.0,0.0,NULL,NULL,NULL,0.009852934080514809,'t-based: 0 of 8 A-against-A runs',0.5113750619660482,'open',0.9592638611451241,3,'');
CREATE TABLE layouts (
	scope VARCHAR NOT NULL, 
	node VARCHAR NOT NULL, 
	x DOUBLE NOT NULL, 
	y DOUBLE NOT NULL, 
	PRIMARY KEY (scope, node)
);
INSERT INTO "layouts" VALUES('campaign 1','H-1',0.5,-0.25);
CREATE TABLE links (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	finding_id INTEGER NOT NULL, 
	type VARCHAR NOT NULL, 
	to_kind VARCHAR NOT NULL, 
	to_id INTEGER NOT NULL, 
	FOREIGN KEY(finding_id) REFERENCES findings (id), 
	UNIQUE (finding_id, type, to_kind, to_id), 
	UNIQUE (uid)
);
INSERT INTO "links" VALUES(1,'f87b25b7fae74d6b8a35e302106e1efe',1,'supports','E',1);
CREATE TABLE measurements (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	author VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	problem VARCHAR NOT NULL, 
	rungs JSON NOT NULL, 
	workload VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	document JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	UNIQUE (uid)
);
INSERT INTO "measurements" VALUES(1,'9032ed31627349e49da4debf456cfbcd','ana','judgement','softmax','["tiled"]','small','cpu','{"status": "correct"}','2026-11-15T09:12:35.044599+00:00');
CREATE TABLE predictions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	experiment_id INTEGER NOT NULL, 
	hypothesis_id INTEGER NOT NULL, 
	author VARCHAR NOT NULL, 
	low DOUBLE NOT NULL, 
	high DOUBLE NOT NULL, 
	locked_at VARCHAR, 
	outcome VARCHAR NOT NULL, 
	score DOUBLE, 
	CHECK (low <= high), 
	FOREIGN KEY(experiment_id) REFERENCES experiments (id), 
	FOREIGN KEY(hypothesis_id) REFERENCES hypotheses (id), 
	UNIQUE (experiment_id, hypothesis_id), 
	UNIQUE (uid)
);
INSERT INTO "predictions" VALUES(1,'6032d7af0ef745a08a6509c218178336',1,1,'ana',0.2,0.3,'2026-11-15T09:12:34.971611+00:00','',NULL);
CREATE TABLE runs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uid VARCHAR NOT NULL, 
	experiment_id INTEGER NOT NULL, 
	nonce VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	worker_id INTEGER, 
	executor VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	reason VARCHAR NOT NULL, 
	environment_key VARCHAR, 
	noise_key VARCHAR, 
	gain DOUBLE, 
	error DOUBLE, 
	gains JSON, 
	seconds DOUBLE, 
	money DOUBLE, 
	receipt_sha256 VARCHAR, 
	lease_until DOUBLE, 
	stop_asked BOOLEAN NOT NULL, 
	FOREIGN KEY(experiment_id) REFERENCES experiments (id), 
	FOREIGN KEY(worker_id) REFERENCES workers (id), 
	UNIQUE (nonce), 
	UNIQUE (uid)
);
INSERT INTO "runs" VALUES(1,'d9409142e60640c0adac30eace4a0de6',1,'a92a926638a7bbb0c8997b44e31a80ce','running','evidence',NULL,'local','none','2026-11-15T09:12:35.006607+00:00',NULL,'',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE sources (
	sha256 VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	PRIMARY KEY (sha256)
);
INSERT INTO "sources" VALUES('72d3d5b08c2cf9d267d33ca44474dfaeabe3c74c51fad8b1094d3d07ce3856b7','new.py','def f(x):
    return x
');
CREATE TABLE state (
	"key" VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "state" VALUES('queue.paused','{"paused": true}');
CREATE TABLE telemetry (
	id INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	span_s DOUBLE NOT NULL, 
	device VARCHAR NOT NULL, 
	utilisation DOUBLE, 
	memory_bytes INTEGER, 
	memory_total_bytes INTEGER, 
	clock_mhz DOUBLE, 
	memory_clock_mhz DOUBLE, 
	power_w DOUBLE, 
	temperature_c DOUBLE, 
	processes JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "telemetry" VALUES(1,1.0,1.0,'cpu',0.5,NULL,NULL,NULL,NULL,NULL,NULL,'[]');
CREATE TABLE workers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	host VARCHAR NOT NULL, 
	pid INTEGER NOT NULL, 
	executor VARCHAR NOT NULL, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	heartbeat_at DOUBLE NOT NULL
);
INSERT INTO "workers" VALUES(1,'host',1,'local','2026-11-15T09:12:35.094064+00:00',NULL,0.0);
CREATE VIRTUAL TABLE experiment_text USING fts5(title, arms, claims, prefix='2 3');
INSERT INTO experiment_text (rowid, title, arms, claims) VALUES(1,'new against old on softmax small','old old  new new.py  softmax small','the new one is faster it reads less');
CREATE INDEX beliefs_hypothesis ON beliefs (hypothesis_id);
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_subject ON events (subject);
CREATE INDEX experiments_arms ON experiments (a_sha256, b_sha256, workload);
CREATE INDEX experiments_author ON experiments (author, state);
CREATE INDEX experiments_campaign ON experiments (campaign_id, state);
CREATE INDEX experiments_listing ON experiments (campaign_id, state, author, device, kind, created_at, runs_valid, cost_s);
CREATE INDEX experiments_noise ON experiments (noise_key, state);
CREATE INDEX experiments_queue ON experiments (state, pinned, priority, score);
CREATE INDEX experiments_repeats ON experiments (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX experiments_title ON experiments (title);
CREATE INDEX experiments_waiting ON experiments (state, queued_at);
CREATE INDEX hypotheses_author ON hypotheses (author);
CREATE INDEX hypotheses_campaign ON hypotheses (campaign_id, verdict);
CREATE INDEX hypotheses_noise ON hypotheses (noise_key);
CREATE INDEX hypotheses_tags ON hypotheses (tags) WHERE tags != '[]';
CREATE INDEX links_to ON links (to_kind, to_id);
CREATE INDEX measurements_problem ON measurements (problem);
CREATE INDEX predictions_author ON predictions (author, outcome, low, high, score);
CREATE INDEX predictions_hypothesis ON predictions (hypothesis_id);
CREATE INDEX runs_experiment ON runs (experiment_id, state, id, gain);
CREATE INDEX runs_noise ON runs (noise_key, purpose);
CREATE INDEX runs_state ON runs (state);
CREATE INDEX telemetry_device ON telemetry (device, at);
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_are_not_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never edited'); END;
CREATE TRIGGER experiment_text_added AFTER INSERT ON experiments
BEGIN
INSERT INTO experiment_text (rowid, title, arms, claims)
VALUES (NEW.id, substr(NEW.title, 1, 20000), substr(coalesce(json_extract(NEW.plan, '$.baseline.label'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.baseline.rung'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.baseline.command'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.label'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.rung'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.command'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.problem'), ''), 1, 20000) || ' ' || NEW.workload, '');
END;
CREATE TRIGGER experiment_text_changed AFTER UPDATE OF title, plan, workload ON experiments
BEGIN
UPDATE experiment_text SET title = substr(NEW.title, 1, 20000), arms = substr(coalesce(json_extract(NEW.plan, '$.baseline.label'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.baseline.rung'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.baseline.command'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.label'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.rung'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.change.command'), ''), 1, 20000) || ' ' || substr(coalesce(json_extract(NEW.plan, '$.problem'), ''), 1, 20000) || ' ' || NEW.workload WHERE rowid = NEW.id;
END;
CREATE TRIGGER experiment_text_claimed AFTER INSERT ON predictions
BEGIN
UPDATE experiment_text SET claims = (SELECT coalesce(group_concat(substr(h.claim, 1, 20000) || ' ' || substr(h.because, 1, 20000), ' '), '') FROM predictions p JOIN hypotheses h ON h.id = p.hypothesis_id WHERE p.experiment_id = NEW.experiment_id) WHERE rowid = NEW.experiment_id;
END;
CREATE TRIGGER experiment_text_deleted AFTER DELETE ON experiments
BEGIN DELETE FROM experiment_text WHERE rowid = OLD.id; END;
CREATE TRIGGER experiment_text_reworded AFTER UPDATE OF claim, because ON hypotheses
BEGIN
UPDATE experiment_text SET claims = (SELECT coalesce(group_concat(substr(h.claim, 1, 20000) || ' ' || substr(h.because, 1, 20000), ' '), '') FROM predictions p JOIN hypotheses h ON h.id = p.hypothesis_id WHERE p.experiment_id = experiment_text.rowid)
WHERE rowid IN (SELECT experiment_id FROM predictions WHERE hypothesis_id = NEW.id);
END;
CREATE TRIGGER experiment_text_unclaimed AFTER DELETE ON predictions
BEGIN
UPDATE experiment_text SET claims = (SELECT coalesce(group_concat(substr(h.claim, 1, 20000) || ' ' || substr(h.because, 1, 20000), ' '), '') FROM predictions p JOIN hypotheses h ON h.id = p.hypothesis_id WHERE p.experiment_id = OLD.experiment_id) WHERE rowid = OLD.experiment_id;
END;
CREATE TRIGGER locked_predictions_are_kept BEFORE DELETE ON predictions
WHEN OLD.locked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a locked prediction is never deleted'); END;
CREATE TRIGGER locked_predictions_stay
BEFORE UPDATE OF low, high, locked_at, experiment_id, hypothesis_id, author ON predictions
WHEN OLD.locked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a locked prediction is never edited'); END;
CREATE TABLE journal_files (
path TEXT NOT NULL PRIMARY KEY, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
size INTEGER NOT NULL, inode INTEGER NOT NULL, sha256 TEXT NOT NULL, indexed_ns INTEGER NOT NULL,
problems TEXT NOT NULL
);
CREATE TABLE journal_entries (
id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
key TEXT NOT NULL, date TEXT NOT NULL, topic TEXT NOT NULL, state TEXT NOT NULL,
title TEXT NOT NULL, document TEXT NOT NULL
);
CREATE VIRTUAL TABLE journal_text USING fts5(title, body, prefix='2 3');
CREATE TABLE journal_recall (
card TEXT NOT NULL PRIMARY KEY, due TEXT, state INTEGER NOT NULL, step INTEGER, stability REAL,
difficulty REAL, last_review TEXT, reviews INTEGER NOT NULL, lapses INTEGER NOT NULL,
flagged INTEGER NOT NULL, suspended INTEGER NOT NULL
);
CREATE TABLE journal_meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE VIRTUAL TABLE book_text USING fts5(
title, body, kind UNINDEXED, key UNINDEXED, prefix='2 3'
);
INSERT INTO book_text (rowid, title, body, kind, key) VALUES(3,'the new one is faster','it reads less','hypothesis','H-1');
INSERT INTO book_text (rowid, title, body, kind, key) VALUES(4,'it is faster','','finding','F-1');
CREATE INDEX journal_entries_key ON journal_entries (kind, key);
CREATE INDEX journal_entries_date ON journal_entries (kind, date);
CREATE INDEX journal_entries_topic ON journal_entries (kind, topic, state);
CREATE INDEX journal_entries_path ON journal_entries (path, line);
CREATE INDEX journal_recall_due ON journal_recall (due);
CREATE TRIGGER book_text_hypotheses_added AFTER INSERT ON hypotheses
BEGIN INSERT INTO book_text (rowid, title, body, kind, key) VALUES (NEW.id * 3, substr(NEW.claim, 1, 20000), substr(NEW.because, 1, 20000), 'hypothesis', 'H-' || NEW.id); END;
CREATE TRIGGER book_text_findings_added AFTER INSERT ON findings
BEGIN INSERT INTO book_text (rowid, title, body, kind, key) VALUES (NEW.id * 3 + 1, substr(NEW.statement, 1, 20000), '', 'finding', 'F-' || NEW.id); END;
CREATE TRIGGER book_text_events_added AFTER INSERT ON events WHEN NEW.kind = 'note'
BEGIN INSERT INTO book_text (rowid, title, body, kind, key) VALUES (NEW.id * 3 + 2, substr(NEW.text, 1, 20000), NEW.subject, 'note', NEW.id); END;
CREATE TRIGGER book_text_hypotheses_changed AFTER UPDATE OF claim, because ON hypotheses
BEGIN DELETE FROM book_text WHERE rowid = OLD.id * 3 + 0; INSERT INTO book_text (rowid, title, body, kind, key) VALUES (NEW.id * 3, substr(NEW.claim, 1, 20000), substr(NEW.because, 1, 20000), 'hypothesis', 'H-' || NEW.id); END;
CREATE TRIGGER book_text_hypotheses_deleted AFTER DELETE ON hypotheses
BEGIN DELETE FROM book_text WHERE rowid = OLD.id * 3 + 0; END;
CREATE TRIGGER book_text_findings_changed AFTER UPDATE OF statement ON findings
BEGIN DELETE FROM book_text WHERE rowid = OLD.id * 3 + 1; INSERT INTO book_text (rowid, title, body, kind, key) VALUES (NEW.id * 3 + 1, substr(NEW.statement, 1, 20000), '', 'finding', 'F-' || NEW.id); END;
CREATE TRIGGER book_text_findings_deleted AFTER DELETE ON findings
BEGIN DELETE FROM book_text WHERE rowid = OLD.id * 3 + 1; END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('campaigns',1);
INSERT INTO "sqlite_sequence" VALUES('hypotheses',1);
INSERT INTO "sqlite_sequence" VALUES('experiments',1);
INSERT INTO "sqlite_sequence" VALUES('predictions',1);
INSERT INTO "sqlite_sequence" VALUES('runs',1);
INSERT INTO "sqlite_sequence" VALUES('measurements',1);
INSERT INTO "sqlite_sequence" VALUES('findings',1);
INSERT INTO "sqlite_sequence" VALUES('links',1);
INSERT INTO "sqlite_sequence" VALUES('workers',1);
COMMIT;
